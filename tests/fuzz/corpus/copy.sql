COPY t (a, b) FROM stdin;
1	one
2	\N
3	back\\slash; 'quote
\.

COPY u FROM stdin;
\.
SELECT 1;
