'use server'

import { redirect } from 'next/navigation'
import { signOut } from '#server/accounts/sign-in/sign-in.ts'

/** Signs the user out of this browser. */
export async function signOutHere(): Promise<never> {
  await signOut({ redirect: false })
  redirect('/sign-in')
}
