'use client'

import type { Theme } from '#app/theme.ts'
import { trpc } from '#app/trpc.ts'
import { Panel } from '#app/ui/panel.tsx'
import { QueryState } from '#app/ui/query-state.tsx'
import { roleLabels } from '../role-labels.ts'
import { NameForm } from './name-form.tsx'
import { ChangePasswordForm, PasswordMissing } from './password-form.tsx'
import { Sessions } from './sessions.tsx'
import { ThemeChoice } from './theme-choice.tsx'
import { TimeZones } from './time-zones.tsx'

/** Shows the user's profile, theme, password and sessions. */
export function AccountPage({ theme }: { theme: Theme }) {
  const query = trpc.accounts.me.useQuery()
  return (
    <div className="mx-auto max-w-4xl">
      <h1 className="mb-5 text-xl font-semibold tracking-tight">Your account</h1>
      <QueryState what="your account" query={query} data={query.data}>
        {(me) => (
          <>
            <Panel title="Profile" about="Visible to your colleagues.">
              <dl className="mb-5 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
                <dt className="text-ink-soft">E-mail address</dt>
                <dd className="wrap-anywhere">{me.email}</dd>
                <dt className="text-ink-soft">Role</dt>
                <dd className="wrap-anywhere">
                  {roleLabels[me.role]}
                  {me.partner !== null && ` at ${me.partner.name}`}
                </dd>
              </dl>
              <NameForm name={me.name} />
            </Panel>
            <Panel title="Time zone" about="Days and times in the portal follow it.">
              <TimeZones key={`${me.timeZone} ${me.partner?.timeZone}`} me={me} />
            </Panel>
            <Panel title="Theme" about="Applies to this browser only.">
              <ThemeChoice theme={theme} />
            </Panel>
            <Panel title="Password" about="Changing it signs out all your other browsers.">
              {me.hasPassword ? <ChangePasswordForm email={me.email} /> : <PasswordMissing />}
            </Panel>
            <Panel title="Sessions" about="If you don’t recognize one, sign it out and change your password.">
              <Sessions />
            </Panel>
          </>
        )}
      </QueryState>
    </div>
  )
}
