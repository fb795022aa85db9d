import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutLine } from '#app/cut-text.ts'

/** The value that selects the installer's staff instead of a partner. No slug has this form. */
export const staffChoice = '-'

/**
 * The query of the Team page. `of` is the partner whose people an operator sees (empty for all); `q` is part
 * of a name or e-mail address.
 */
export const teamParsers = { of: parseAsString.withDefault(''), q: parseAsString.withDefault('') }

export type TeamState = inferParserType<typeof teamParsers>

export const readTeamQuery = createLoader(teamParsers)
const write = createSerializer(teamParsers)
export const teamHref = (state: Partial<TeamState> = {}) => write('/team', state)

/** Returns the slug of the selected partner, or null for the installer's staff. */
export const partnerOfChoice = (choice: string) => (choice === staffChoice ? null : choice)

/** Returns the filter for a query. Only viewers of all partners can select one. */
export function teamFilter({ of, q }: TeamState, isInvited: boolean, isOfAll: boolean) {
  return {
    isInvited,
    search: cutLine(q, 100),
    ...(isOfAll && of !== '' ? { partner: partnerOfChoice(of) } : {}),
  }
}
