import type { TeamPerson } from './use-team.ts'

/** Warns when the person is the last admin of a partner. */
export function NoAdminLeft({ person: { isLast, partner } }: { person: TeamPerson }) {
  if (!isLast) return null
  return <> {partner!.name} will have no admin left to manage webhooks, tokens and the team.</>
}
