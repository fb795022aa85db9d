import { actions, isAction } from '#server/audit/action.ts'

/** What was done, as a sentence without its subject begins: `Rotated a token`. One that this version does not know stays as it is. */
export function said(action: string): string {
  if (!isAction(action)) return action
  const words = actions[action]
  return words[0]!.toUpperCase() + words.slice(1)
}
