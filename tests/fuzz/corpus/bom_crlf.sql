SELECT 'caf√©';
COPY t FROM stdin;
1	a
\.

\encoding LATIN1
SELECT 'È';
