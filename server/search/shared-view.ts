import type { Database } from '#db/client.ts'
import { type TenantScope, isEveryone } from '../accounts/partner.ts'
import { readPartner, zoneOfPartner } from '../accounts/store.ts'
import { me } from '../deals/assignees/store.ts'
import { ApiError } from '../errors.ts'
import { type Zone, dayOf, utc } from '../values/zone.ts'
import { listSharedViews } from '../views/store.ts'
import type { FilterInput } from './filters.ts'
import { filterOn } from './relative-days.ts'
import { readViewFilter } from './view-filter.ts'

/** Returns true if the filter finds different deals for different viewers. */
export const dependsOnViewer = ({ isMine, assignees }: FilterInput): boolean =>
  isMine === true || assignees?.includes(me) === true

/** The filter of a shared view, resolved for today. */
interface SharedView {
  filter: FilterInput
  /** Time zone of the filter's days. */
  zone: Zone
  /** Changes whenever the view is edited or another view is used. */
  identity: string
}

/**
 * Returns the view with this id or name that is shared with the tenant's team.
 * @throws ApiError 400 if there is none, several have the name, or its deals depend on who looks at them
 */
export async function readSharedView(db: Database, tenant: TenantScope, text: string): Promise<SharedView> {
  const [shared, zone] = await Promise.all([
    listSharedViews(db, tenant),
    isEveryone(tenant) ? utc : readPartner(db, tenant).then(zoneOfPartner),
  ])
  const byId = shared.filter(({ id }) => String(id) === text)
  const [view, ...others] = byId.length > 0 ? byId : shared.filter(({ name }) => name === text)
  if (view === undefined) throw invalidView('must be the id or the name of a view that your team shares')
  if (others.length > 0)
    throw invalidView(
      `several views have this name; use an id: ${[view, ...others].map(({ id }) => id).join(', ')}`,
    )
  const read = readViewFilter(view.query)
  if (read === null) throw invalidView('has a filter that is no longer valid; save the view again')
  const { filter, relativeDays } = read
  if (dependsOnViewer(filter))
    throw invalidView('depends on who looks at it, because it shows the deals of the signed-in user')
  return {
    filter: filterOn(filter, relativeDays, dayOf(new Date(), zone)),
    zone,
    identity: `${view.id} ${view.query}`,
  }
}

const invalidView = (problem: string) =>
  new ApiError('BAD_REQUEST', 'The request is not valid', { errors: [`view: ${problem}`] })
