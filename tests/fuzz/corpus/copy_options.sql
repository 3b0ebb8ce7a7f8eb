copy t from stdin with (format csv, header, delimiter ';');
a;b
"one
\.
two";2
\.
copy (select 1) to stdout;
COPY a FROM stdin\; COPY b FROM stdin;
1
\.
2
\.
