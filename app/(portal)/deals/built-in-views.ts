/** Views that every user has. Users could create the same views themselves. */
export const builtInViews = [
  { name: 'My deals', query: 'is=mine' },
  { name: 'Late', query: 'is=open,late&sort=timeInCurrentStage' },
  {
    name: 'Waiting for permit over 30 days',
    query: 'todo=permit&is=open&permitSubmitted=over-30-days&sort=timeInCurrentStage',
  },
  { name: 'Ready for funding', query: 'gate=submit&hold=submission&is=open&sort=timeInCurrentStage' },
  { name: 'Changed stage since yesterday', query: 'moved=last-2-days&sort=-timeInCurrentStage' },
  { name: 'Outstanding items', query: 'yes=hasOutstandingItems&is=open&sort=timeInCurrentStage' },
] as const
