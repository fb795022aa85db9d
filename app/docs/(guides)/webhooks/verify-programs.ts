export interface SampleRequest {
  id: string
  /** Seconds since 1970, without fractions. */
  timestamp: string
  signature: string
  body: string
}

/** A programming language and its program for verifying signatures. */
export interface Language {
  name: string
  /** File name of the program, and the command that runs it. */
  file: string
  run: string
  /**
   * Returns a complete program that verifies the sample. The program reads the secret from `WEBHOOK_SECRET`.
   */
  program: (sample: SampleRequest) => string
}

// JSON's escapes have the same meaning in JavaScript, Python, C# and Go. C# treats more characters as line
// terminators, so escape these as well.
const quoted = (text: string) =>
  JSON.stringify(text).replaceAll(
    /[\u0085\u2028\u2029]/g,
    (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
const singleQuoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`
const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const node = ({
  id,
  timestamp,
  signature,
  body,
}: SampleRequest) => `import { createHmac, timingSafeEqual } from 'node:crypto'

// body is the raw text of the request, before any parsing.
export function verify(body, headers, secret, now = Date.now() / 1000) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(now - Number(timestamp)) <= 300)) throw new Error('The timestamp is not within five minutes')
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const expected = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`).digest()
  const isValid = signatures.split(' ').some((signature) => {
    const received = Buffer.from(signature.replace('v1,', ''), 'base64')
    return received.length === expected.length && timingSafeEqual(received, expected)
  })
  if (!isValid) throw new Error('Invalid signature')
}

// An event as it was sent. The last argument is the time of sending; omit it in a receiver.
const body = ${quoted(body)}
const headers = {
  'webhook-id': ${singleQuoted(id)},
  'webhook-timestamp': ${singleQuoted(timestamp)},
  'webhook-signature': ${singleQuoted(signature)},
}
verify(body, headers, process.env.WEBHOOK_SECRET ?? '', ${timestamp})
console.log('verified', JSON.parse(body).type)
`

const python = ({
  id,
  timestamp,
  signature,
  body,
}: SampleRequest) => `import base64, hashlib, hmac, json, os, time

# body is the raw bytes of the request, before any parsing.
def verify(body, headers, secret, now=None):
    timestamp = headers["webhook-timestamp"]
    if abs((time.time() if now is None else now) - int(timestamp)) > 300:
        raise ValueError("The timestamp is not within five minutes")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    if not any(hmac.compare_digest(expected, signature) for signature in headers["webhook-signature"].split(" ")):
        raise ValueError("Invalid signature")

# An event as it was sent. The last argument is the time of sending; omit it in a receiver.
body = ${quoted(body)}.encode()
headers = {
    "webhook-id": ${quoted(id)},
    "webhook-timestamp": ${quoted(timestamp)},
    "webhook-signature": ${quoted(signature)},
}
verify(body, headers, os.environ["WEBHOOK_SECRET"], ${timestamp})
print("verified", json.loads(body)["type"])
`

const csharp = ({ id, timestamp, signature, body }: SampleRequest) => `using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

static class Program
{
    // body is the raw text of the request, before any parsing.
    static void Verify(string body, string id, string timestamp, string signatures, string secret, long now)
    {
        if (Math.Abs(now - long.Parse(timestamp)) > 300) throw new Exception("The timestamp is not within five minutes");
        using (var hmac = new HMACSHA256(Convert.FromBase64String(secret.Replace("whsec_", ""))))
        {
            var hash = hmac.ComputeHash(Encoding.UTF8.GetBytes(id + "." + timestamp + "." + body));
            var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(hash));
            if (!signatures.Split(' ').Any(signature => CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(signature), expected)))
                throw new Exception("Invalid signature");
        }
    }

    static void Main()
    {
        // An event as it was sent. The last argument is the time of sending; in a receiver use DateTimeOffset.UtcNow.ToUnixTimeSeconds().
        var body = ${quoted(body)};
        Verify(body, ${quoted(id)}, ${quoted(timestamp)}, ${quoted(signature)}, Environment.GetEnvironmentVariable("WEBHOOK_SECRET"), ${timestamp});
        Console.WriteLine("verified");
    }
}
`

const php = ({ id, timestamp, signature, body }: SampleRequest) => `<?php
// $body is the raw text of the request: file_get_contents('php://input').
function verify(string $body, array $headers, string $secret, ?int $now = null): void
{
    $timestamp = $headers['webhook-timestamp'];
    if (abs(($now ?? time()) - (int) $timestamp) > 300) throw new Exception('The timestamp is not within five minutes');
    $key = base64_decode(str_replace('whsec_', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "{$headers['webhook-id']}.$timestamp.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature']) as $signature) if (hash_equals($expected, $signature)) return;
    throw new Exception('Invalid signature');
}

// An event as it was sent. The last argument is the time of sending; omit it in a receiver.
$body = ${singleQuoted(body)};
$headers = [
    'webhook-id' => ${singleQuoted(id)},
    'webhook-timestamp' => ${singleQuoted(timestamp)},
    'webhook-signature' => ${singleQuoted(signature)},
];
verify($body, $headers, getenv('WEBHOOK_SECRET'), ${timestamp});
echo 'verified ', json_decode($body)->type, "\\n";
`

const go = ({ id, timestamp, signature, body }: SampleRequest) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// body is the raw text of the request, before any parsing.
func verify(body, id, timestamp, signatures, secret string, now int64) error {
	sentAt, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now-sentAt > 300 || sentAt-now > 300 {
		return errors.New("the timestamp is not within five minutes")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "." + body))
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return nil
		}
	}
	return errors.New("invalid signature")
}

func main() {
	// An event as it was sent. The last argument is the time of sending; in a receiver use time.Now().Unix().
	body := ${quoted(body)}
	if err := verify(body, ${quoted(id)}, ${quoted(timestamp)}, ${quoted(signature)}, os.Getenv("WEBHOOK_SECRET"), ${timestamp}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("verified")
}
`

const shell = ({ id, timestamp, signature, body }: SampleRequest) => `set -eu
# An event as it was sent.
id=${shellQuoted(id)}
timestamp=${shellQuoted(timestamp)}
signatures=${shellQuoted(signature)}
body=${shellQuoted(body)}

key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
sign() { printf '%s.%s.%s' "$id" "$1" "$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A; }

case " $signatures " in
  *" v1,$(sign "$timestamp") "*) echo verified ;;
  *) echo 'Invalid signature'; exit 1 ;;
esac

# With RECEIVER set, sends it there with a new signature.
if [ -n "\${RECEIVER:-}" ]; then
  now=$(date +%s)
  printf %s "$body" | curl -sS -i --data-binary @- -H 'content-type: application/json' \\
    -H "webhook-id: $id" -H "webhook-timestamp: $now" -H "webhook-signature: v1,$(sign "$now")" "$RECEIVER"
fi
`

/** Programming languages, most popular first. */
export const languages: readonly Language[] = [
  { name: 'Node.js', file: 'verify.mjs', run: 'node verify.mjs', program: node },
  { name: 'Python', file: 'verify.py', run: 'python3 verify.py', program: python },
  { name: 'C#', file: 'Program.cs', run: 'dotnet run Program.cs', program: csharp },
  { name: 'PHP', file: 'verify.php', run: 'php verify.php', program: php },
  { name: 'Go', file: 'verify.go', run: 'go run verify.go', program: go },
  { name: 'curl', file: 'verify.sh', run: 'sh verify.sh', program: shell },
]

/** The secret that signed the example event. No partner uses this secret. */
export const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** The signed example event in the guides. */
export const exampleRequest: SampleRequest = {
  id: '0b5c1f7e-6f2e-4f0c-9a0e-0d9a4c1b2a3f',
  timestamp: '1772385605',
  signature: 'v1,/4GYfFj9ULzFP55w8zUDaKtMn41JOLj/wL8FXkkIiQ0=',
  body: JSON.stringify({
    type: 'deal.updated',
    timestamp: '2026-03-01T17:20:05.000Z',
    sequence: 1042,
    data: { id: 20411000193, stage: 'Permit Submitted' },
    changes: [{ field: 'stage', from: 'NTP Review', to: 'Permit Submitted' }],
  }),
}
