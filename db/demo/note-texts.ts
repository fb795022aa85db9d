import type { Happening } from '#db/demo/course.ts'

/** Coordinators' notes after the latest step. */
export const afterHappening: Partial<Record<Happening, readonly string[]>> = {
  createDate: [
    'Welcome call done, {first} is excited to get going. Survey to be booked.',
    'New from {closer}. Welcome packet sent, waiting on {first} to pick a survey time.',
    'LVM for welcome call, sent text with scheduling link.',
    'Utility bill and ID received from {closer}. Welcome call set for tomorrow.',
  ],
  siteSurveyRequested: [
    'Survey requested. {first} works nights, mornings before 10 are best.',
    'Called {first} to confirm survey, asked to keep the panel area and attic access clear.',
    'Survey tech needs attic photos, {first} will leave a ladder out.',
    'Homeowner out of town until the weekend, survey moved back a few days.',
    'Survey vendor confirmed. Two dogs, {first} will keep them inside.',
  ],
  siteSurveyCompleted: [
    'Survey in. MSP photos are blurry, asked tech to resend before we send to CAD.',
    'Survey complete: {modules} modules should fit, light shade from a tree on the west side.',
    'Survey complete, main panel upgrade confirmed. {panelUpgrade}',
    'Survey uploaded, checking tile condition before CAD. {tile}',
    'Survey done, rafters 2x6 at 24 in OC, no visible damage. Sending to design.',
  ],
  cadRequested: [
    'In design. {closer} asked to keep modules off the street side.',
    'CAD in queue, asked for {modules} modules per the signed proposal.',
    'Designer checking fire setbacks at the ridge, may need to move two modules.',
    'Design to show {battery} in the garage, 3 ft clear of the gas meter.',
  ],
  cadCompleted: [
    'CAD sent to {first} for approval.',
    'CAD done, production within 3 % of the proposal. {first} to sign off.',
    'Planset v1 back, {closer} going over the layout with the homeowner tonight.',
    'Layout approved by text, sending to engineering.',
  ],
  redesignCompleteDate: [
    'Redesign done, moved array off the north roof. {first} needs to re-sign.',
    'Redesign complete after setback comment, same module count. New docs out for signature.',
  ],
  reSignDate: [
    'Re-signed docs back from {first}. Sending to engineering.',
    'Homeowner re-signed, numbers unchanged. Engineering next.',
  ],
  engineeringRequested: [
    'With engineering for structural letter and electrical stamp.',
    'Engineer asked for rafter spacing on the rear roof, sent survey photo.',
    'Stamps requested. {city} wants wet stamp on the structural letter.',
    'Electrical review: load calc attached for {battery}.',
  ],
  engineeringCompleted: [
    'Stamped planset received. IX application going to {utility}.',
    'Engineering back with no comments. Collecting docs for NTP.',
    'Stamped set is in, sent SOW to {first}.',
    'Stamps in. Roof good for the added load, no upgrades needed.',
  ],
  ntpRequested: [
    '{lender} wants proof of income, sent {first} the upload link.',
    'NTP submitted. {lender} stips: title and photo ID.',
    'Waiting on {lender}, welcome call with the homeowner not completed yet.',
    'Name on title does not match the loan, {closer} getting the trust docs.',
    'Cash deal, deposit invoice sent to {first}. {cash}',
    'Cash deal, proof of funds requested. {cash}',
  ],
  ntpApproved: [
    'NTP approved. Permit package being put together for {city}.',
    'NTP in. {hoaPending} still reviewing the application, board meets once a month.',
    'Permit package ready, needs homeowner signature on the {city} form.',
    'HOA app sent to {hoaPending} with planset and color photos of the modules.',
    'NTP good. IX application approved by {utility}.',
  ],
  permitSubmitted: [
    'Submitted to {city}, plan check says around {permitDay}.',
    'Permit in review with {city}. Fee paid online.',
    '{city} came back with one correction (line diagram), resubmitted same day. Expect {permitDay}.',
    'Called the AHJ, still in queue. {first} updated by text.',
    'Permit in review. {hoaPending} has the application, no answer yet.',
    'Waiting on permit, {utility} IX approved so we are ready to schedule.',
    'AHJ wants spec sheet for {battery}, uploaded to the portal.',
  ],
  permitReceived: [
    'Permit in hand. Install set for {installDay}, confirmed with {first}.',
    'Install {installDay}, crew of 4. {modules} modules and racking on order.',
    'Confirmed {installDay} with {first}. Needs driveway clear by 7 am.',
    'Install {installDay}, electrician booked same day for the main panel. {panelUpgrade}',
    '{battery} ships to the yard this week, install holds for {installDay}.',
    'Install {installDay}. Order 10 % spare tile, roof is older. {tile}',
    'Install {installDay}. {utility} disconnect and reconnect scheduled for the morning.',
  ],
  installComplete: [
    'Install complete, waiting on final photos from the crew before we book inspection.',
    'Installed {modules} x {module}. System left off until inspection.',
    'Install done. {first} happy, one cracked gutter clip to replace.',
    'Crew finished late, commissioning and Wi-Fi set-up to follow.',
    'Installed. {battery} commissioned, backup test passed.',
  ],
  inspectionRequested: [
    'Inspection requested with {city}, {first} or an adult needs to be home.',
    'Inspection called in. Planset on site in the combiner box.',
    '{city} is about a week out for inspections, {manager} following up.',
    'Building and electrical booked together, waiting for the time slot.',
  ],
  inspectionFailed: [
    'Failed first inspection. Crew back {returnDay} to correct, {first} informed.',
    'Correction notice received, service crew going out {returnDay}. Re-inspection after that.',
    'Failed on paperwork, sending the corrected sheet to {city} before we rebook.',
  ],
  reInspectionRequested: [
    'Corrections done, re-inspection requested with {city}.',
    'Re-inspection fee paid, waiting on the slot from {city}.',
  ],
  inspectionPassed: [
    'Passed. Final photos and signed card uploaded, funding packet next.',
    'Inspection passed, {lender} packet being prepared.',
    'Passed inspection, green tag sent to {utility}.',
    'Passed. Final invoice going to {first}. {cash}',
  ],
  fundingSubmitted: [
    'M2 submitted to {lender}.',
    '{lender} kicked back the packet for one missing photo, resubmitted.',
    'Completion certificate signed by {first}, M2 in review with {lender}.',
    'Final invoice sent, check expected this week. {cash}',
  ],
  m2Approved: [
    'M2 paid. PTO application in with {utility}.',
    'Waiting on {utility} for the meter swap.',
    '{utility} says 2 to 3 weeks for PTO. {first} asked to leave the system off until then.',
    'PTO submitted, {utility} asked for a photo of the AC disconnect label, sent.',
  ],
  permissionToOperate: [
    'PTO received from {utility}. System on, monitoring live.',
    'PTO granted, {first} walked through the app.',
    'PTO letter emailed to {first}. Referral gift card mailed.',
    'System energized. First bill review offered in 60 days.',
    'PTO received. {battery} set to self-consumption, reserve 20 %.',
  ],
  serviceRequested: [
    'Homeowner called: app shows one module not reporting. Ticket opened.',
    'Monitoring offline since router change, walking {first} through Wi-Fi reconnect.',
    'Leak reported near a mount, roofer to look at it first.',
    'Critter noise under the array, quote for guard requested.',
  ],
  serviceScheduled: [
    'Tech scheduled, replacement part on the truck.',
    'Service visit booked, {first} asked for a call 30 min before arrival.',
  ],
  serviceComplete: [
    'Replaced and reporting again. Ticket closed.',
    'Gateway back online, 7 days of data backfilled. Closed.',
    'Flashing resealed, no charge to the homeowner. Closed.',
  ],
}

export const whenHeld = [
  'On hold: homeowner replacing the roof first, roofer estimates 4 to 6 weeks.',
  'On hold at the request of {first}, traveling until next month.',
  'On hold: home is in probate, title to be cleared before NTP. {beforeNtp}',
  'On hold: refinancing the house, asked us not to run anything until it closes.',
  'On hold: {hoaPending} denied the first application, appeal at the next board meeting.',
  'On hold: {utility} transformer study for this address, up to 60 days. {applied}',
  'On hold: {first} wants to compare with and without a battery, {closer} to re-quote. {beforeNtp}',
  'On hold: no answer after 5 calls and 3 texts, {closer} going by the house. {beforeNtp}',
]

export const whenCancelled = [
  'Cancelled: {first} went with another company.',
  'Cancelled by homeowner, selling the house.',
  'Cancelled: loan declined by {lender}, no co-signer. {inReview}',
  'Cancelled: roof needs full replacement, out of budget. {beforeNtp}',
  'Cancelled: too much shade, production below guarantee. {closer} informed. {beforeNtp}',
  'Cancelled: {first} lost job, may come back next year.',
  'Cancelled: spouse not on board. {closer} tried to save it twice. {beforeNtp}',
]

export const household = [
  'Gate code {code}#.',
  'Dog in the yard, call ahead.',
  'Prefers texts after 4 pm.',
  'Park on the street, not the driveway.',
  'Works from home, any weekday is fine.',
  'Best reached by e-mail.',
]

/** Outstanding items by pending step. */
export const outstandingItems = {
  notice: [
    'last 12 months of utility bills',
    'photo of the main panel label',
    'proof of homeowners insurance',
    'copy of photo ID',
    'trust documents',
  ],
  permit: [
    'homeowner signature on permit form',
    'HOA approval letter',
    'attic photos',
    'spec sheet for the main panel',
    'contractor authorization form',
  ],
  install: [
    'homeowner confirmation of install date',
    'delivery of racking',
    'tree trimming by homeowner',
    'disconnect slot from the utility',
  ],
  handover: [
    'final install photos',
    'commissioning report',
    'signed completion certificate',
    'as-built drawing',
    'permit card photo',
  ],
}
export type OutstandingItem = keyof typeof outstandingItems

/** Why inspections fail, by remedy: the crew's return or papers. */
export const inspectionFailures = {
  crew: [
    'Failed: AC disconnect label missing, NEC 690.13(B).',
    'Failed: no rapid shutdown placard at service, NEC 690.56(C).',
    'Failed: conduit strap more than 3 ft from box at meter wall, NEC 358.30.',
    'Failed: PV wire touching the roof under the array, NEC 690.31.',
    'Failed: ground rod clamp loose, NEC 250.70.',
    'Failed: smoke detectors not up to code in hallway.',
  ],
  papers: [
    'Failed: planset on site not the approved revision.',
    'Failed: torque log not on site, NEC 110.14(D).',
    'Failed: permit card not posted at the panel.',
  ],
}

export const inspectionRemarks = [
  'City inspector prefers mornings.',
  'Ladder on site required.',
  'Homeowner must be present for interior check.',
  'Inspector wants one module lifted.',
  'Call inspector at 7:30 am for time window.',
  'Smoke and CO detectors will be checked.',
]
