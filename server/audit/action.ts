/** What is written down when it is done, and how that is said of whoever did it. */
export const actions = {
  'address.changed': 'changed the webhook addresses',
  'address.switched-on': 'switched a webhook address on',
  'address.tested': 'sent a test event',
  'secret.revealed': 'looked at the signing secret',
  'secret.rotated': 'rotated the signing secret',
  'secret.finished': 'ended the old signing secret',
  'delivery.resent': 'sent a delivery again',
  'deliveries.resent': 'sent failed deliveries again',
  'token.created': 'created a token',
  'token.rotated': 'rotated a token',
  'token.revoked': 'revoked a token',
  'user.invited': 'invited somebody',
  'user.role-changed': 'changed a role',
  'user.removed': 'removed somebody',
  'user.reset': 'made a link to set a new password',
  'account.signed-in': 'signed in',
  'account.sign-in-failed': 'failed to sign in',
  'account.password-set': 'set a password by a link',
  'account.renamed': 'changed their own name',
  'account.password-changed': 'changed their own password',
  'account.session-ended': 'signed one of their browsers out',
  'account.signed-out': 'signed out everywhere',
  'deals.exported': 'exported deals',
  'audit.exported': 'exported the audit',
  'view.saved': 'saved a view',
  'view.renamed': 'renamed a view',
  'view.removed': 'removed a view',
  'partner.created': 'created a partner',
  'partner.renamed': 'renamed a partner',
  'partner.suspended': 'suspended a partner',
  'partner.resumed': 'resumed a partner',
  'import.uploaded': 'uploaded a file of deals',
  'import.started': 'imported deals',
  'import.discarded': 'discarded a file of deals',
  'deal.removed': 'removed a deal',
  'file.added': 'added a file to a deal',
  'demo.loaded': 'loaded the demonstration data',
} as const

/** One of them. */
export type Action = keyof typeof actions

/** Returns whether the text names one. */
export const isAction = (text: string): text is Action => Object.hasOwn(actions, text)
