\encoding SJIS
SELECT 'ƒ\';
\set v ƒ\
SELECT ÿþ;
