import type { Database } from '#db/client.ts'
import { type Mail, composeMail } from '../accounts/mail.ts'
import { type Mailer, notifyAdmins } from '../accounts/mailer.ts'
import type { PartnerId } from '../accounts/partner.ts'
import { formatSpan } from '../values/units.ts'
import { switchOffAfterMs } from './policy.ts'
import type { SwitchedOff } from './queue-store.ts'

/** E-mails the admins of a partner about a disabled endpoint. Returns the number of e-mails. */
export const notifySwitchedOff = (
  deps: { db: Database; mailer: Mailer | null; publicUrl: string },
  partnerId: PartnerId,
  endpoint: Pick<SwitchedOff, 'url' | 'because'> & { hasEnded?: boolean },
): Promise<number> => notifyAdmins(deps, partnerId, switchedOffMail(endpoint, deps.publicUrl))

const reasons: Record<SwitchedOff['because'], (url: string) => string> = {
  gone: (url) => `${url} returned 410 Gone, which asks us to stop.`,
  failing: (url) => `${url} has accepted no event for ${formatSpan(switchOffAfterMs)}.`,
}

/** Returns the e-mail about a disabled endpoint, with the reason and what to do. */
export function switchedOffMail(
  { url, because, hasEnded = false }: Pick<SwitchedOff, 'url' | 'because'> & { hasEnded?: boolean },
  publicUrl: string,
): Mail {
  const reason = reasons[because](url)
  const mail = hasEnded
    ? {
        subject: 'Your webhook subscription has ended',
        intro:
          `${reason} The subscription is deleted: events are recorded, but no longer sent there. ` +
          'If that was not intended, subscribe again.',
        action: 'See your subscriptions',
        url: `${publicUrl}/webhooks?tab=subscriptions`,
      }
    : {
        subject: 'Your webhook endpoint was switched off',
        intro:
          `${reason} We no longer send events there. New events are recorded, ` +
          'and sent once you switch the endpoint back on.',
        action: 'Check the endpoint and switch it on',
        url: `${publicUrl}/webhooks`,
      }
  return composeMail({ ...mail, ended: 'You receive this e-mail because you are an admin.' })
}
