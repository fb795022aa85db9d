import { actions, isAction } from '#server/audit/action.ts'

/** Returns the label of an action: `Rotated a token`. An action unknown to this version is returned as it is. */
export function actionLabel(action: string): string {
  if (!isAction(action)) return action
  const label = actions[action]
  return label[0]!.toUpperCase() + label.slice(1)
}
