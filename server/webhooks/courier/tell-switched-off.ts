import type { Database } from '#db/client.ts'
import { type Mail, composeMail } from '../../accounts/mail/mail.ts'
import type { Mailer } from '../../accounts/mail/mailer.ts'
import { tellAdmins } from '../../accounts/mail/tell-admins.ts'
import type { SwitchedOff } from './queue-store.ts'

/** Mails the admins of the partner whose addresses were switched off. */
export async function tellSwitchedOff(
  means: { db: Database; mailer: Mailer | null; publicUrl: string },
  endpoints: SwitchedOff[],
): Promise<void> {
  // Both kinds of events may go to one address, which is one thing to tell.
  const byUrl = new Map(endpoints.map((endpoint) => [endpoint.url, endpoint]))
  await Promise.all(
    [...byUrl.values()].map((endpoint) =>
      tellAdmins(means, endpoint.partnerId, switchedOffMail(endpoint, means.publicUrl)),
    ),
  )
}

const reasons: Record<SwitchedOff['because'], (url: string) => string> = {
  gone: (url) => `${url} answered with 410, which says that it wants no more events.`,
  failing: (url) => `For five days ${url} has accepted no event.`,
}

/** Returns the mail that says that an address was switched off, why, and what to do. */
export function switchedOffMail(
  { url, because }: Pick<SwitchedOff, 'url' | 'because'>,
  publicUrl: string,
): Mail {
  return composeMail({
    subject: 'Your webhook address was switched off',
    said: `${reasons[because](url)} So nothing is sent there any more. What happens to your deals meanwhile is kept, and sent when you switch the address on again.`,
    action: 'See what is wrong and switch it on',
    url: `${publicUrl}/webhooks`,
    ended: 'You get this because you are an admin.',
  })
}
