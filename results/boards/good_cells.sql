-- Asked cells of a run that need no more work.
--
--   :run  key of the run
SELECT cell FROM cell_state WHERE run = :run AND state IN ('ok', 'not_applicable') ORDER BY cell;
