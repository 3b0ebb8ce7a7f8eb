\restrict k3y

SET client_encoding = 'UTF8';
\connect shop
\connect -reuse-previous=on "dbname='a b'"
CREATE TABLE t (a int);
COPY public.t (a) FROM stdin;
1
\.

SELECT pg_catalog.setval('s', 1, true);
ALTER TABLE ONLY t
    ADD CONSTRAINT t_pkey PRIMARY KEY (a);
CREATE INDEX i ON t (a);
\unrestrict k3y
