import { partnerOfQuery } from '#server/accounts/partner.ts'

/** Drops cached offline pages, including those being cached (`public/sw.js`). */
export async function dropCachedPages(): Promise<void> {
  // Browsers provide caches only over HTTPS.
  if ('caches' in window) await caches.delete('pages').catch(() => false)
}

/** A cached page. */
export interface CachedPage {
  /** Path with query string. */
  path: string
  title: string
  /** When the page was loaded from the server. */
  at: Date
}

/** Returns a partner's cached pages, latest first, with one entry per path. */
export async function readCachedPages(partner: string | null): Promise<CachedPage[]> {
  if (!('caches' in window) || !(await caches.has('pages'))) return []
  const cache = await caches.open('pages')
  const found = await Promise.all(
    (await cache.keys()).map(async (request) => {
      const { pathname, search, searchParams } = new URL(request.url)
      const cached = await cache.match(request)
      if (cached === undefined || pathname === '/offline' || partnerOfQuery(searchParams) !== partner)
        return []
      return [{ pathname, path: pathname + search, ...keptTitle(await cached.text()), at: dateOf(cached) }]
    }),
  )
  const byPath = Map.groupBy(found.flat().toReversed(), ({ pathname }) => pathname)
  return [...byPath.values()].map(([last]) => last!)
}

const dateOf = ({ headers }: Response) => new Date(headers.get('date') ?? 0)

/** Returns the title of a page without the site's name. */
function keptTitle(html: string): { title: string } {
  const [, text = ''] = /<title>([^<]*)<\/title>/.exec(html) ?? []
  const { title } = new DOMParser().parseFromString(`<title>${text}</title>`, 'text/html')
  return { title: title.replace(/ · Partner Deals$/, '') }
}

/** Returns true if the service worker shows this page because the requested page is not cached. */
export const isUnseen = () => document.documentElement.dataset.unseen !== undefined

/** Returns the time until the page's session expires in milliseconds, by this browser's clock. */
export function sessionLeftMs(): number {
  const [until] = document.querySelector('main')?.dataset.session?.split(' ') ?? []
  return until === undefined ? Infinity : Number(until) - Date.now()
}
