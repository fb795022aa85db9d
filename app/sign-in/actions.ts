'use server'

import { redirect } from 'next/navigation'
import { procedures } from '#app/trpc-server.ts'
import { type FormAnswer, readForm } from '#app/ui/form-answer.ts'
import { SignInRejectedError, signIn } from '#server/accounts/sign-in/sign-in.ts'
import { RequestLink, SetPassword, SignIn, UseLink } from '#server/accounts/wire.ts'
import { localPath, problemMessage, problemOf } from './query.ts'

/** Signs in with the e-mail address and password in the form, then redirects to the requested page. */
export async function signInWithPassword(_: FormAnswer, form: FormData): Promise<FormAnswer> {
  const { data, answer } = readForm(SignIn, form)
  return data === undefined ? answer : enter('credentials', data, answer, localPath(form.get('callbackUrl')))
}

/** Redirects to the OpenID Connect provider, and from there to the requested page. */
export async function signInAtProvider(form: FormData): Promise<void> {
  await signIn('oidc', { redirectTo: localPath(form.get('callbackUrl')) })
}

/** Sets the password with the link token in the form, then signs in. */
export async function setPassword(_: FormAnswer, form: FormData): Promise<FormAnswer> {
  const { data, answer } = readForm(SetPassword, form)
  return data === undefined ? answer : enter('link', data, answer, '/')
}

/** Signs in with the link token in the form. */
export async function signInByLink(_: FormAnswer, form: FormData): Promise<FormAnswer> {
  const { data, answer } = readForm(UseLink, form)
  return data === undefined ? answer : enter('link', data, answer, '/')
}

/**
 * Sends a link to the e-mail address in the form if it belongs to a user. The response is the same for
 * unknown addresses.
 */
export async function requestLink(_: FormAnswer, form: FormData): Promise<FormAnswer> {
  const { data, answer } = readForm(RequestLink, form)
  if (data === undefined) return answer
  const { accounts } = await procedures()
  const kind = form.get('kind') === 'sign-in' ? 'sign-in' : 'reset'
  await (kind === 'sign-in' ? accounts.requestSignIn(data) : accounts.requestReset(data))
  redirect(`/sign-in/forgot?sent=${kind}`)
}

async function enter(
  means: 'credentials' | 'link',
  credentials: Record<string, string | undefined>,
  answer: FormAnswer,
  path: string,
): Promise<FormAnswer> {
  try {
    await signIn(means, { ...credentials, redirect: false, redirectTo: '/' })
  } catch (error) {
    return {
      ...answer,
      problem:
        error instanceof SignInRejectedError
          ? problemMessage(problemOf(error.code), error.retryAfterS)
          : problemMessage('unavailable'),
    }
  }
  redirect(path)
}
