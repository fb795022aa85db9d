import type { DealChange } from '../deals/change.ts'
import { dataIssues } from '../deals/data-issue-rules.ts'
import { dataIssuesOf, implausibleFieldsOf } from '../deals/data-issue.ts'
import type { DealField } from '../deals/deal.ts'
import { parseDeal } from '../deals/render.ts'
import { stringifyJson } from '../values/int64.ts'
import { ellipsize, shorten, textMax } from '../values/short-text.ts'
import { type WarningKind, titleOfWarning } from './wire.ts'

/** A kind of warning: the number of deals, and the first deal. */
export interface Warning {
  kind: WarningKind
  count: number
  line: number
  id: string
  name: string | null
  /** The fields of the first deal that cause the warning. Values are JSON, and long texts are truncated. */
  fields: { field: DealField; json: string }[]
}

const kinds: readonly WarningKind[] = ['noName', 'noStage', ...dataIssues]

/** Counts the warnings about the deals that an import creates or updates. */
export class WarningTally {
  readonly #found = new Map<WarningKind, Warning>()
  readonly #now: Date

  constructor(now: Date) {
    this.#now = now
  }

  add(line: number, change: DealChange): void {
    for (const kind of this.#kindsOf(change)) {
      const known = this.#found.get(kind)
      if (known !== undefined) known.count++
      else this.#found.set(kind, { kind, count: 1, line, ...this.#exampleOf(kind, change) })
    }
  }

  /** Returns the warnings in the order of their kinds. */
  all(): Warning[] {
    return kinds.flatMap((kind) => this.#found.get(kind) ?? [])
  }

  /** Returns the warnings about new or changed implausible values of a deal. */
  #kindsOf({ stored, deal, changes }: DealChange): WarningKind[] {
    const findings = dataIssuesOf(deal, this.#now)
    if (stored === undefined) return [...lacksOf(deal), ...findings]
    if (findings.length === 0) return []
    const before = dataIssuesOf(parseDeal(stored.json), this.#now)
    const changed = new Set(changes.map(({ field }) => field))
    return findings.filter(
      (finding) =>
        !before.includes(finding) ||
        implausibleFieldsOf(finding, deal, this.#now).some((field) => changed.has(field)),
    )
  }

  #exampleOf(kind: WarningKind, { id, deal }: DealChange): Pick<Warning, 'id' | 'name' | 'fields'> {
    const fields = kind === 'noName' || kind === 'noStage' ? [] : implausibleFieldsOf(kind, deal, this.#now)
    return {
      id: String(id),
      name: deal.dealname == null ? null : ellipsize(deal.dealname, textMax),
      fields: fields.flatMap((field) =>
        deal[field] == null ? [] : [{ field, json: shorten(stringifyJson(deal[field])) }],
      ),
    }
  }
}

function lacksOf({ dealname, firstName, lastName, stage }: DealChange['deal']): ('noName' | 'noStage')[] {
  const isNamed = [dealname, firstName, lastName].some((name) => name != null && name.trim() !== '')
  return [
    ...(isNamed ? [] : (['noName'] as const)),
    ...(stage == null || stage === '' ? (['noStage'] as const) : []),
  ]
}

/** Describes a warning in one line. */
export function warningText({ kind, count, line, id, fields }: Warning): string {
  const values = fields.map(({ field, json }) => `${field} ${json}`).join(', ')
  const first = `deal ${id} on line ${line}${values === '' ? '' : `: ${values}`}`
  return `${titleOfWarning(kind)}: ${count === 1 ? '' : `${count} deals, first `}${first}`
}
