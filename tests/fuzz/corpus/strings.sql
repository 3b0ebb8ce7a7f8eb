SET standard_conforming_strings = off;
SELECT 'it\'s;', E'a\\', e'\'';', U&'d\0061t' UESCAPE '!';
SET standard_conforming_strings = on;
SELECT 'C:\', B'10', X'1F', N'n', 'joined'
  ' by lines';
