-- What a metric says about its score: why there is no number, or what to mind when reading it.
ALTER TABLE score ADD COLUMN message TEXT NOT NULL DEFAULT '';

-- Few scores have one, and boards find those without reading the others.
CREATE INDEX score_with_message ON score (metric) WHERE message <> '';
