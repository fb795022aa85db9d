import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '#e2e/create-user.ts'
import { type LocalSystem, openLocalSystem } from '#e2e/local-system.ts'
import { printed, refused } from '#e2e/operator.ts'
import { beginSession, contextOf } from '#e2e/signed-in.ts'
import { api } from '../api.ts'
import { findSession } from './session-store.ts'
import { authenticate, openLink } from './sign-in/authenticate.ts'
import { recordVisit } from './user-store.ts'
import type { SigningIn } from './user.ts'

const password = 'a long enough password'

let system: LocalSystem
beforeAll(async () => {
  system = await openLocalSystem()
})
afterAll(() => system.close())

const operator = (...words: string[]) => system.operator(['user', ...words])
const printedLink = () =>
  printed(expect.stringMatching(new RegExp(`^${system.services.config.publicUrl}/link/[\\w-]{43}\\n$`)))
const makeEmail = () => `${crypto.randomUUID()}@sunline.example`

/** Opens a printed link as a browser would. Returns the new session, and fails if the link is not valid. */
async function useLink(link: string, form: { name?: string; password: string }): Promise<string> {
  const user = await openLink(system.db, { token: link.trim().slice(-43), ...form }, async () => {})
  const { id, sessionsEnded } = user as SigningIn
  return (await beginSession(system.db, id, { sessionsEnded }))!
}

/** Returns the procedures as seen by a browser with this session that views the partner `slug`. */
const as = async (hash: string, slug: string | null = null) =>
  api.createCaller(await contextOf(system.services, hash, slug)).accounts

test('invite prints the link, mails it, and leads to an account', async () => {
  const { slug } = await system.makePartner()
  const email = makeEmail()
  const made = await operator('invite', email.toUpperCase(), '--partner', slug, '--role', 'admin')
  expect(made).toEqual(printedLink())
  const mails = system.mails.filter(({ to }) => to === email)
  expect(mails.map(({ mail }) => mail.text.includes(made.stdout))).toEqual([true])
  const hash = await useLink(made.stdout, { name: 'Nia Okafor', password })
  expect(await (await as(hash)).me()).toMatchObject({
    email,
    name: 'Nia Okafor',
    role: 'admin',
    partner: { slug },
  })
  expect(await operator('invite', email, '--partner', slug)).toEqual(
    refused(`there is a user ${email} already; "user reset" lets them in, "user remove" makes room`),
  )
})

test('invite creates operators, who can view as a partner', async () => {
  const { slug } = await system.makePartner()
  const email = makeEmail()
  const made = JSON.parse(
    (await operator('invite', email, '--operator', '--name', 'Sam Ortiz', '--json')).stdout,
  ) as { link: string }
  expect(made).toEqual({ email, role: 'operator', partner: null, link: expect.any(String), mailed: true })
  const hash = await useLink(made.link, { password })
  expect(await (await as(hash)).partners()).toContainEqual({ slug, name: 'A partner of a test' })
  expect(await (await as(hash, slug)).me()).toMatchObject({
    name: 'Sam Ortiz',
    role: 'operator',
    partner: null,
    chosenPartner: { slug },
  })
  expect(await (await as(hash)).me()).toMatchObject({ chosenPartner: null })
})

test('list, reset and remove manage users', async () => {
  const [{ id: partnerId }, email] = [await system.makePartner(), makeEmail()]
  const user = { email, password, name: 'Robin Vale', role: 'member', partnerId } as const
  const { id } = await createUser(system.db, user)
  const first = (await beginSession(system.db, id))!
  expect((await operator('list')).stdout).toMatch(
    new RegExp(`^${id}\\t${email}\\tRobin Vale\\tmember\\tp[\\w-]+\\tnever seen$`, 'm'),
  )
  await recordVisit(system.db, id)
  expect((await operator('list')).stdout).toMatch(new RegExp(`^${id}\\t.*\\tseen 20`, 'm'))
  const listed = JSON.parse((await operator('list', '--json')).stdout) as object[]
  expect(listed).toContainEqual({
    id,
    email,
    name: 'Robin Vale',
    role: 'member',
    partner: expect.any(String),
    hasPassword: true,
    seenAt: expect.any(String),
  })
  const reset = await operator('reset', email)
  expect(reset).toEqual(printedLink())
  const another = 'another long password'
  const hash = await useLink(reset.stdout, { password: another })
  expect(await findSession(system.db, first)).toBeUndefined()
  expect(await findSession(system.db, hash)).toBeDefined()
  expect(await operator('remove', email)).toEqual(printed(`removed ${email}\n`))
  expect(await findSession(system.db, hash)).toBeUndefined()
  expect(await authenticate(system.db, email, another)).toBe('wrong')
  expect(await operator('remove', email)).toEqual(refused(`there is no user ${email}; "user list" shows all`))
})

test('reject invalid arguments with advice', async () => {
  const wrong = [
    ['choose an owner: --partner <slug> or --operator', 'invite a@b.example'],
    ['there is no partner "nobody"; "partner list" shows all', 'invite a@b.example --partner nobody'],
    ['the address must be an e-mail address', 'invite a@b.example,c@d.example --operator'],
    ['--name must not contain control characters', 'invite a@b.example --operator --name a\r\nBcc:'],
    ['there is no user a@b.example; "user list" shows all', 'reset a@b.example'],
  ] as const
  for (const [reason, words] of wrong) expect(await operator(...words.split(' '))).toEqual(refused(reason))
  expect((await operator('invite', 'a@b.example', '--operator', '--partner', 'x')).stderr).toBe(
    "error: option '--partner <slug>' cannot be used with option '--operator'\n",
  )
})
