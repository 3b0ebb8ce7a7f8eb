CREATE TABLE item (id integer);
