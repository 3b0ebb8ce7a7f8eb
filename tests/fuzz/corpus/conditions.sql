\set v 1
\if :{?v}
  \if false
    COPY t FROM stdin;
  \elif :v
    SELECT :v, :'v', :"v", a::int, a[1:2];
  \else
    \echo no \\ SELECT 1;
  \endif
\endif
\unset v
\set v :v :v
SELECT :v;
\endif
\if
