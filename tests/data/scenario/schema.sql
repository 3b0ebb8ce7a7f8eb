CREATE TABLE item (id integer, name text);
