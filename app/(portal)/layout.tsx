import { History } from 'lucide-react'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import { formatIn } from '#app/ui/format.ts'
import { PartnerOfPage } from '#app/ui/partner.tsx'
import { ZoneOfPage } from '#app/ui/times.tsx'
import { ViewerOfPage } from '#app/ui/viewer.tsx'
import type { PartnerName } from '#server/accounts/session-store.ts'
import { signedIn } from '#server/accounts/sign-in/sign-in.ts'
import type { Offers } from '#server/insight/wire.ts'
import { staleAfterMs } from '#server/sources/policy.ts'
import type { Stage } from '#server/stages/stage.ts'
import { SkipLink, readIsDeveloper, readTheme } from '../document.tsx'
import { Providers } from '../providers.tsx'
import { procedures, readPageView } from '../trpc-server.ts'
import { StagesOfPage } from './deals/stages-of-page.tsx'
import { Frame } from './frame/frame.tsx'

/** The layout of all portal pages. Access is checked in the procedures, not here. */
export default async function PortalLayout({ children }: { children: ReactNode }) {
  const [session, view, theme, requestHeaders, stages, offers, isDeveloper] = await Promise.all([
    signedIn(),
    readPageView(),
    readTheme(),
    headers(),
    // If the stages cannot be loaded, pages classify stages by name.
    readOr<Stage[]>([], ({ stages: { list } }) => list()),
    readOr(noOffers, ({ insight }) => insight.offers()),
    readIsDeveloper(),
  ])
  const isMac = /\b(?:Macintosh|iPad|iPhone)\b/.test(requestHeaders.get('user-agent') ?? '')
  const { requestedPartner, partner, chosenPartner, chosenPartnerId, seesAllPartners, zone } = view
  const pageViewer = { role: session?.user.role ?? ('member' as const), seesAllPartners, offers, isDeveloper }
  return (
    <PartnerOfPage requestedPartner={requestedPartner} partner={partner}>
      <Providers key={`${session?.hash} ${partner} ${zone}`}>
        <SkipLink />
        <ZoneOfPage zone={zone}>
          <StagesOfPage stages={stages}>
            {session !== null && (
              <Frame
                viewer={{
                  name: session.user.name,
                  email: session.user.email,
                  role: session.user.role,
                  partner: labelOf(session.partner),
                  chosenPartner,
                  partnerId: session.partner?.id ?? chosenPartnerId,
                  offers,
                  theme,
                  isMac,
                }}
              />
            )}
            {session !== null && <StaleBanner />}
            {/* `data-wide`: use the full width. `data-session`: when `public/sw.js` drops the cached page. */}
            <main
              id="content"
              tabIndex={-1}
              data-session={
                session === null ? undefined : `${session.expiresAt.getTime()} ${session.user.id}`
              }
              className="mx-auto max-w-7xl px-4 py-6 outline-none has-data-wide:max-w-none sm:px-6 sm:py-8"
            >
              <ViewerOfPage {...pageViewer}>{children}</ViewerOfPage>
            </main>
          </StagesOfPage>
        </ZoneOfPage>
      </Providers>
    </PartnerOfPage>
  )
}

async function readOr<T>(
  fallback: T,
  read: (caller: Awaited<ReturnType<typeof procedures>>) => Promise<T>,
): Promise<T> {
  try {
    return (await signedIn()) === null ? fallback : await read(await procedures())
  } catch {
    return fallback
  }
}

const noOffers: Offers = { map: false, flow: false, trends: false, reps: false, scorecard: false }

const labelOf = (partner: PartnerName | null) => partner && { slug: partner.slug, name: partner.name }

async function StaleBanner() {
  const [asOf, { zone }] = await Promise.all([
    readOr(null, ({ deals: { asOf: readAsOf } }) => readAsOf()),
    readPageView(),
  ])
  if (asOf === null || Date.now() - asOf.getTime() < staleAfterMs) return null
  return (
    <aside aria-label="Data is not current" className="bg-wait-soft px-4 py-2 text-wait">
      <p className="mx-auto flex max-w-7xl items-center justify-center gap-2 text-pretty">
        <History aria-hidden="true" className="size-4 shrink-0" />
        Deals are as of {formatIn(zone).formatInstant(asOf)}. Newer changes appear once the CRM can be read
        again.
      </p>
    </aside>
  )
}
