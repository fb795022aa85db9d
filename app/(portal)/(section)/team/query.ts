import { createLoader, createSerializer, type inferParserType, parseAsString } from 'nuqs/server'
import { cutText } from '#app/cut-text.ts'

/** Stands for the installer's own staff where a partner is chosen; no slug is like that. */
export const staff = '-'

/** What the address of the page says beside the page's partner: whose people are shown to an operator over all (empty: everybody's), and part of a name or an address. */
export const teamParsers = { of: parseAsString.withDefault(''), q: parseAsString.withDefault('') }

export type TeamState = inferParserType<typeof teamParsers>

export const readTeamQuery = createLoader(teamParsers)
const write = createSerializer(teamParsers)
export const teamHref = (state: Partial<TeamState> = {}) => write('/team', state)

/** What a choice of a partner is to the procedures: null is the installer's own staff. */
export const partnerOfChoice = (choice: string) => (choice === staff ? null : choice)

/** What is asked for by the address; only who sees all partners chooses among them. */
export function teamFilter({ of, q }: TeamState, isInvited: boolean, isOfAll: boolean) {
  return {
    isInvited,
    search: cutText(q.trim(), 100),
    ...(isOfAll && of !== '' ? { partner: partnerOfChoice(of) } : {}),
  }
}
