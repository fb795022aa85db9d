-- An empty tone follows the stage's phase. What the operator chose stays where its colour is still there; yellow
-- and red are for what is late alone.
UPDATE stages SET tone = CASE
  WHEN stages.tone = words.tone THEN ''
  WHEN stages.tone = 'neutral' THEN 'gray'
  WHEN stages.tone = 'info' THEN 'blue'
  WHEN stages.tone = 'good' THEN 'green'
  ELSE '' END
FROM (
  SELECT name, CASE
    WHEN NOT is_ahead AND name ~* '\y(?:cancel(?:l?ed|l?ation)?|lost|dead|withdrawn|terminated|disqualified|archived)\y' THEN 'bad'
    WHEN NOT is_ahead AND (name ~* '\y(?:closed|funded)\y|\ypto\W+(?:granted|approved|received|issued|completed?)\y'
      OR name ~* '^[^a-z]*(?:(?:project|job|deal|service|all)\W+)?(?:completed?|done|finished)\s*(?:$|[^\sa-z])') THEN 'good'
    WHEN name ~* '\yhold\y|\ypaused?\y' THEN 'wait'
    WHEN name ~* 'cancel|lost|reject|fail' THEN 'bad'
    WHEN name ~* 'waiting|awaiting|pending|review' THEN 'wait'
    WHEN name ~* 'complete|approved|funded|\ypto\y' THEN 'good'
    WHEN name ~* 'survey|design|cad|engineering|preparation|lead|new' THEN 'neutral'
    ELSE 'info' END AS tone
  FROM (
    SELECT name, name ~* '\y(?:not|to be|ready|waiting|pending)\y|\y(?:await|partial|request)' AS is_ahead FROM stages
  ) known
) words
WHERE words.name = stages.name;
