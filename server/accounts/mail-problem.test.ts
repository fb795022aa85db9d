import { expect, test } from 'vitest'
import { mailProblemOf } from './mail-problem.ts'

// Responses of Postfix, Exchange Online, Gmail, Amazon SES and other mail servers.

const problemOf = (command: string, response: string, code = 'EENVELOPE') =>
  mailProblemOf({ code, command, response, responseCode: Number(response.slice(0, 3)) }, 'ana@a.example')

test.each([
  '550 5.1.1 <ana@a.example>: Recipient address rejected: User unknown in virtual mailbox table',
  '550-5.1.1 The email account that you tried to reach does not exist.',
  '550 5.4.1 Recipient address rejected: Access denied. AS(201806281)',
  '550 No such user here',
  '550 <ana@spamblock.example>: User unknown',
  '556 5.1.10 The domain has a null MX',
  '553 5.1.3 The recipient address is not a valid RFC 5321 address',
  '550 5.2.1 The email account that you tried to reach is disabled',
])('%j means that the recipient is permanently rejected', (response) => {
  expect(problemOf('RCPT TO', response)).toMatchObject({ isPermanent: true, isRecipientRejected: true })
})

test.each([
  ['RCPT TO', '554 5.7.1 <ana@a.example>: Relay access denied'],
  ['RCPT TO', '550 5.7.1 Service unavailable; client [192.0.2.1] blocked using zen.spamhaus.org'],
  ['RCPT TO', '550 relay not permitted'],
  ['RCPT TO', '550 5.1.8 <no-reply@a.example>: Sender address rejected: Domain not found'],
  ['RCPT TO', '504 5.5.2 <localhost>: Helo command rejected: need fully-qualified hostname'],
  ['RCPT TO', '550 Sender verify failed'],
  ['RCPT TO', '550 SPF check failed'],
  ['RCPT TO', '550 rejected because 192.0.2.1 is in a black list at zen.spamhaus.org'],
  ['RCPT TO', '550 Administrative prohibition'],
  ['RCPT TO', '530 5.7.0 Authentication Required'],
  ['MAIL FROM', '553 5.7.1 <no-reply@a.example>: Sender address rejected: not owned by user'],
  ['MAIL FROM', '530 5.7.0 Must issue a STARTTLS command first'],
  ['CONN', '554 no SMTP service here'],
])('the mail is not given up, and the recipient stays enabled, if %s fails with %j', (command, response) => {
  expect(problemOf(command, response)).toMatchObject({ isPermanent: false, isRecipientRejected: false })
})

test.each([
  ['RCPT TO', '450 4.2.0 <ana@a.example>: Recipient address rejected: Greylisted'],
  ['RCPT TO', '451 4.7.1 Please try again later'],
  ['RCPT TO', '452 4.2.2 Mailbox full'],
  ['RCPT TO', '552 5.2.2 Mailbox full'],
  ['RCPT TO', '550 Mailbox quota exceeded'],
  ['DATA', '421 4.4.2 Connection timed out'],
])('the mail is sent again later if %s fails with %j', (command, response) => {
  expect(problemOf(command, response)).toMatchObject({
    problem: `the mail server postpones the mail with ${response.slice(0, 3)}`,
    isPermanent: false,
    isRecipientRejected: false,
  })
})

test.each([
  ['DATA', '552 5.3.4 Message size exceeds fixed limit'],
  ['MAIL FROM', '552 5.3.4 Message too big'],
  ['DATA', '554 5.7.1 Message rejected as spam'],
  ['DATA', '550 5.7.26 This mail has been blocked because the sender is unauthenticated'],
])('only the mail, not the recipient, is rejected if %s fails with %j', (command, response) => {
  expect(problemOf(command, response, 'EMESSAGE')).toMatchObject({
    isPermanent: true,
    isRecipientRejected: false,
  })
})

test.each([
  [{ code: 'EAUTH', responseCode: 535 }, 'the mail server rejects the credentials in SMTP_URL'],
  [{ code: 'EAUTH', responseCode: 454 }, 'the mail server cannot check the credentials at the moment (454)'],
  [
    { code: 'EMESSAGE', message: 'Message size larger than allowed 1000' },
    'the mail is larger than the mail server allows',
  ],
  [
    { command: 'MAIL FROM', responseCode: 550 },
    'the mail server rejects the sender with 550: set ?from= in SMTP_URL',
  ],
  [
    { code: 'EPROTOCOL', message: 'Invalid greeting. response=HTTP/1.1 400' },
    'the port in SMTP_URL does not belong to a mail server',
  ],
  [{ code: 'ECONNECTION', message: 'Connection closed' }, 'the mail server closes the connection'],
  [{ command: 'CONN', responseCode: 554 }, 'the mail server accepts no mail from this portal (554)'],
  [
    { responseCode: 530, command: 'MAIL FROM' },
    'the mail server requires credentials or TLS in SMTP_URL (530)',
  ],
])('reports %j as %j', (error, problem) => {
  expect(mailProblemOf(error, 'ana@a.example').problem).toBe(problem)
})
