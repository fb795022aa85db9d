import { handlers } from '#server/accounts/sign-in.ts'

export const { GET, POST } = handlers
