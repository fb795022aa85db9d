import { utc } from '../values/zone.ts'
import type { CrmSource, SourceKind } from './crm-source.ts'
import { type CrmDeps, HubspotFetch } from './hubspot-fetch.ts'
import { HubspotSource } from './hubspot-source.ts'
import type { SourceSettings } from './mapping.ts'
import { SqlSource } from './sql-source.ts'

/** Opens a source. `secret` is the token, or the URL of the database. */
export function openCrm(
  { kind, settings }: { kind: SourceKind; settings: string },
  secret: string,
  deps: CrmDeps,
): CrmSource {
  switch (kind) {
    case 'hubspot':
      return new HubspotSource(new HubspotFetch(deps, secret))
    case 'sql': {
      const { query, zone } = JSON.parse(settings) as Partial<SourceSettings>
      return new SqlSource(secret, { query: query ?? '', zone: zone ?? utc }, deps.signal)
    }
  }
}
