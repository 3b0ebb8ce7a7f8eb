SELECT 1;
SELECT 'not closed;
\. \\ \
\