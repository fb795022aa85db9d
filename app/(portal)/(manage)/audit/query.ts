import { createParser, parseAsString } from 'nuqs/server'
import { type PageState, cutText, pageQuery } from '#app/page-query.ts'
import { isAction, actions } from '#server/audit/action.ts'
import { type Zone, addDays, startOfDay } from '#server/values/zone.ts'

const parseAsDay = createParser<string>({
  parse: (text) => (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null),
  serialize: String,
})

/** Query parameters of the audit log; `from` and `to` are inclusive days. */
export const auditQuery = pageQuery('/audit', {
  q: parseAsString.withDefault(''),
  from: parseAsDay,
  to: parseAsDay,
})

/** Returns the API filter for the query parameters; `zone` determines when each day begins. */
export function auditFilter({ q, from, to }: PageState<typeof auditQuery>, zone: Zone) {
  return {
    text: cutText(q, 200).trim() || undefined,
    since: from === null ? undefined : new Date(startOfDay(from, zone)),
    until: to === null ? undefined : new Date(startOfDay(addDays(to, 1), zone)),
  }
}

/** Returns the label of an action, such as `Rotated a token`. Returns unknown actions unchanged. */
export function actionLabel(action: string): string {
  if (!isAction(action)) return action
  const label = actions[action]
  return label[0]!.toUpperCase() + label.slice(1)
}
