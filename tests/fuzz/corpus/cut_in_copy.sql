CREATE TABLE t (a int);
COPY t FROM stdin;
1
2
3