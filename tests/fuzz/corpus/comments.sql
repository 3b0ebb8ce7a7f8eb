/* one /* two; */ still -- one
*/ SELECT 1; -- ends; here
SELECT /* ' */ "a""b;" /* " */ ;
/* never closed ; /* 