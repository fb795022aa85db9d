export { answerAuth as GET, answerAuth as POST } from '#server/accounts/sign-in/sign-in.ts'
