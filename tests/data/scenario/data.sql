COPY item (id, name) FROM stdin;
1	nut
2	bolt
\.
