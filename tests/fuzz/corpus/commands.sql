\copy t from 'rows.csv' with (format csv)
\copy t from stdin
1
\.
\copy (select 1) to 'out'
\i script.sql
\ir "script.sql"
\echo `date`
SELECT 1 \g
SELECT 'SELECT 1' \gexec
SELECT 1 AS x \gset
\timing on
\pset format unaligned
\q
never read;
