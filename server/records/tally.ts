import type { DealChange } from '../deals/change.ts'
import type { EventType } from '../deals/event.ts'
import { ellipsize, shorten, textMax } from '../values/short-text.ts'

/** A deal in which a field changes. Values are JSON, and long texts are truncated. */
interface FieldExample {
  id: string
  name: string | null
  from: string
  to: string
}

/** Number of deals in which a field changes. For the field `partner`, the values are slugs. */
export interface FieldChanges {
  field: string
  count: number
  /** Number of deals in which the field loses its value. */
  cleared: number
  examples: FieldExample[]
}

/** Number of events written for a partner, by type. */
export interface PartnerEvents {
  partner: string
  created: number
  updated: number
  removed: number
}

/** Maximum number of examples per changed field. */
const examplesMax = 10

/** Counts the deals in which each field changes, with the first examples, and the events of each partner. */
export class FieldTally {
  readonly #fields = new Map<string, FieldChanges>()
  readonly #events = new Map<number, Omit<PartnerEvents, 'partner'>>()

  /**
   * Adds a changed deal and the fields that lose their values. Values of a new deal do not count as changes.
   */
  addChange(
    change: DealChange,
    slugOf: (partnerId: number) => string,
    cleared: readonly string[] = [],
  ): void {
    const { stored, partnerId } = change
    if (stored === undefined) return
    for (const { field, from, to } of change.changes) this.#add(change, field, from, to)
    for (const field of cleared) this.#fields.get(field)!.cleared++
    if (stored.partnerId === partnerId) return
    const slug = (owner: number | null) => JSON.stringify(owner === null ? null : slugOf(owner))
    this.#add(change, 'partner', slug(stored.partnerId), slug(partnerId))
  }

  #add({ id, deal }: DealChange, field: string, from: string, to: string): void {
    const changes = this.#fields.get(field) ?? { field, count: 0, cleared: 0, examples: [] }
    this.#fields.set(field, changes)
    if (changes.count++ >= examplesMax) return
    const name = deal.dealname == null ? null : ellipsize(deal.dealname, textMax)
    changes.examples.push({ id: String(id), name, from: shorten(from), to: shorten(to) })
  }

  addEvent(partnerId: number, type: EventType): void {
    const counts = this.#events.get(partnerId) ?? { created: 0, updated: 0, removed: 0 }
    this.#events.set(partnerId, counts)
    counts[type.slice('deal.'.length) as keyof typeof counts]++
  }

  fields(): FieldChanges[] {
    return [...this.#fields.values()].toSorted((a, b) => b.count - a.count)
  }

  events(slugOf: (partnerId: number) => string): PartnerEvents[] {
    const sumOf = ({ created, updated, removed }: PartnerEvents) => created + updated + removed
    return [...this.#events]
      .map(([partnerId, counts]) => ({ partner: slugOf(partnerId), ...counts }))
      .toSorted((a, b) => sumOf(b) - sumOf(a))
  }
}
