import type { Database } from '#db/client.ts'
import { type Mail, composeMail } from '../../accounts/mail/mail.ts'
import type { Mailer } from '../../accounts/mail/mailer.ts'
import { notifyAdmins } from '../../accounts/mail/notify-admins.ts'
import { formatSpan } from '../../protocol/units.ts'
import { switchOffAfterMs } from '../policy.ts'
import type { SwitchedOff } from './queue-store.ts'

/** Mails the admins of a partner about its disabled endpoints. */
export async function notifySwitchedOff(
  means: { db: Database; mailer: Mailer | null; publicUrl: string },
  endpoints: SwitchedOff[],
): Promise<void> {
  // Both kinds of events may go to one URL, which needs only one mail.
  const byUrl = new Map(endpoints.map((endpoint) => [endpoint.url, endpoint]))
  await Promise.all(
    [...byUrl.values()].map((endpoint) =>
      notifyAdmins(means, endpoint.partnerId, switchedOffMail(endpoint, means.publicUrl)),
    ),
  )
}

const reasons: Record<SwitchedOff['because'], (url: string) => string> = {
  gone: (url) => `${url} returned 410 Gone, which asks us to stop.`,
  failing: (url) => `${url} has accepted no event for ${formatSpan(switchOffAfterMs)}.`,
}

/** Returns the mail about a disabled endpoint: the reason, and what to do. */
export function switchedOffMail(
  { url, because }: Pick<SwitchedOff, 'url' | 'because'>,
  publicUrl: string,
): Mail {
  return composeMail({
    subject: 'Your webhook endpoint was switched off',
    intro:
      `${reasons[because](url)} We no longer send events there. New events are recorded, ` +
      'and sent once you switch the endpoint back on.',
    action: 'Check the endpoint and switch it on',
    url: `${publicUrl}/webhooks`,
    ended: 'You receive this e-mail because you are an admin.',
  })
}
