import { formatSpan } from '../values/units.ts'
import { type LinkKind, linkLifetimeMs } from './policy.ts'

/** An e-mail as text and HTML. */
export interface Mail {
  subject: string
  text: string
  html: string
  messageId?: string
  /** The `messageId` of the e-mail being replied to. */
  inReplyTo?: string
  references?: string
  headers?: Record<string, string>
}

const words: Record<
  LinkKind,
  { subject: string; about: (partnerName: string | null) => string; action: string }
> = {
  invitation: {
    subject: 'Your invitation to Partner Deals',
    about: (partnerName) =>
      `${partnerName ?? 'The installer'} invited you to Partner Deals. ` +
      'Choose a password to see where your deals stand.',
    action: 'Accept invitation',
  },
  reset: {
    subject: 'Reset your Partner Deals password',
    about: () => 'We received a request to reset your Partner Deals password.',
    action: 'Reset password',
  },
  'sign-in': {
    subject: 'Sign in to Partner Deals',
    about: () => 'We received a request to sign you in to Partner Deals.',
    action: 'Sign in',
  },
}

/** Returns an e-mail that contains this link. */
export function linkMail(kind: LinkKind, url: string, partnerName: string | null): Mail {
  const { subject, about, action } = words[kind]
  return composeMail({
    subject,
    intro: about(partnerName),
    action,
    url,
    ended:
      `This link works once and expires in ${formatSpan(linkLifetimeMs[kind])}. ` +
      'If you did not expect this e-mail, you can ignore it.',
  })
}

/**
 * Returns an e-mail with a message, a link and a closing sentence. Empty lines separate the paragraphs of the
 * message.
 */
export function composeMail({
  subject,
  intro,
  action,
  url,
  ended,
}: {
  subject: string
  intro: string
  action: string
  url: string
  ended: string
}): Mail {
  const paragraphs = intro
    .split(/\n{2,}/)
    .map((text) => `<p>${escapeHtml(text)}</p>`)
    .join('\n')
  return {
    // Subjects can contain names, and a line break in a name would end the header.
    subject: subject.replaceAll(/\p{Cc}+/gu, ' '),
    text: `${intro}\n\n${action}:\n${url}\n\n${ended}\n`,
    html: `${paragraphs}\n<p><a href="${escapeHtml(url)}">${escapeHtml(action)}</a></p>\n<p>${escapeHtml(ended)}</p>\n`,
  }
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes a string for HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character]!)
}
