SELECT $$it's; 'fine'$$, $a$ $b$;$b$ $$ $a$;
DO $body$
BEGIN
  PERFORM 1; -- ';
END
$body$;
SELECT $1, a$b$ FROM t;
