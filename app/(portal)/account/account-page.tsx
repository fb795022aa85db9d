'use client'

import { CloudOff } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { failureMessage } from '#app/failure-message.ts'
import { trpc } from '#app/trpc.ts'
import { button } from '#app/ui/button.ts'
import { Notice } from '#app/ui/notice.tsx'
import { NameForm } from './name-form.tsx'
import { PasswordForm, PasswordMissing } from './password-form.tsx'
import { Sessions } from './sessions.tsx'

const roles = { member: 'Member', admin: 'Admin', operator: 'Operator' }

/** Who one is here, and where one is signed in. */
export function AccountPage() {
  const { data: me, error, refetch } = trpc.accounts.me.useQuery()
  return (
    <div className="mx-auto max-w-4xl">
      <h1 className="mb-5 text-xl font-semibold tracking-tight">Your account</h1>
      {me !== undefined ? (
        <>
          <Section title="You" about="How colleagues see you.">
            <dl className="mb-5 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5">
              <dt className="text-ink-soft">E-mail address</dt><dd className="wrap-anywhere">{me.email}</dd>
              <dt className="text-ink-soft">Role</dt><dd className="wrap-anywhere">{roles[me.role]}{me.partner !== null && ` at ${me.partner.name}`}</dd>
            </dl>
            <NameForm name={me.name} />
          </Section>
          <Section title="Password" about="When you change it, all your other browsers are signed out.">
            {me.hasPassword ? <PasswordForm email={me.email} /> : <PasswordMissing />}
          </Section>
          <Section title="Where you are signed in" about="Something there that you do not know? Sign it out and change your password.">
            <Sessions />
          </Section>
        </>
      ) : error === null ? <p role="status" className="text-ink-soft">Loading your account …</p> : (
        <Notice icon={CloudOff} title="Your account cannot be shown right now" action={<button type="button" onClick={() => refetch()} className={button.primary}>Try again</button>}>
          {failureMessage(error)}
        </Notice>
      )}
    </div>
  )
}

function Section({ title, about, children }: { title: string; about: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} className="mb-6 grid gap-x-10 gap-y-5 rounded-xl border border-line bg-surface p-5 sm:p-6 md:grid-cols-[13rem_1fr]">
      <div>
        <h2 id={id} className="font-semibold">{title}</h2>
        <p className="mt-1 text-pretty text-ink-soft">{about}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  )
}
