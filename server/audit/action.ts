/** The actions that the audit log records, each with a label that follows the actor's name. */
export const actions = {
  'address.changed': 'changed webhook URLs',
  'address.switched-on': 'switched on a webhook endpoint',
  'address.tested': 'sent a test event',
  'secret.revealed': 'revealed the signing secret',
  'secret.rotated': 'rotated the signing secret',
  'secret.finished': 'retired the old signing secret',
  'delivery.resent': 'resent a delivery',
  'deliveries.resent': 'resent failed deliveries',
  'token.created': 'created a token',
  'token.rotated': 'rotated a token',
  'token.revoked': 'revoked a token',
  'user.invited': 'invited a user',
  'user.role-changed': 'changed a role',
  'user.removed': 'removed a user',
  'user.reset': 'created a password reset link',
  'account.signed-in': 'signed in',
  'account.sign-in-failed': 'failed to sign in',
  'account.password-set': 'set a password with a link',
  'account.renamed': 'changed their name',
  'account.time-zone-changed': 'changed their time zone',
  'account.password-changed': 'changed their password',
  'account.session-ended': 'signed out one of their browsers',
  'account.signed-out': 'signed out everywhere',
  'deals.exported': 'exported deals',
  'audit.exported': 'exported the audit log',
  'view.saved': 'saved a view',
  'view.renamed': 'renamed a view',
  'view.removed': 'deleted a view',
  'partner.created': 'created a partner',
  'partner.renamed': 'renamed a partner',
  'partner.time-zone-changed': 'changed the time zone of a partner',
  'partner.suspended': 'suspended a partner',
  'partner.resumed': 'resumed a partner',
  'stage.changed': 'changed a stage',
  'import.uploaded': 'uploaded a file with deals',
  'import.started': 'imported deals',
  'import.discarded': 'discarded an uploaded file',
  'deal.removed': 'removed a deal',
  'file.added': 'added a file to a deal',
  'demo.loaded': 'loaded the demonstration data',
} as const

/** The name of an action. */
export type Action = keyof typeof actions

/** Returns whether the text names an action. */
export const isAction = (text: string): text is Action => Object.hasOwn(actions, text)
