// The words and phrases that this project does not use, each with the word to use in its place.
//
// A row is `old, other old -> new`, or `old (gateway, cache) -> new` for a word that is wrong only in these folders of
// src/ and test/ (`web`, `docs` and `cli` are folders too).
//
// In names, an entry matches its words anywhere in a declared name or a file name, in every case style: `letIn` matches
// `letIn`, `letInCaller`, `LET_IN` and `let-in.ts`. `=Step` matches only the declared name `Step`.
//
// In prose, `/` separates forms of one word, `_` stands for any one word, `^` is the start of a sentence or a label and
// `$` its end. Prose is comments, messages, labels, test names and pages; code spans are skipped.

export interface WordGroup {
  readonly reason: string;
  readonly rows: string;
}

export const NAMES: readonly WordGroup[] = [
  {
    reason: "an attempt is one upstream request; say which part of it is meant",
    rows: `
      Errand -> PreparedRequest; Company (gateway) -> CallHooks
      Companion -> CallHook; Onward -> NextAttempt
      carryOut -> execute; Trip -> CallExecution, or CacheLookup in cache/
      takePlace, waitForPlace -> acquireDeploymentSlot
      takeStandIn, standInAs, standIn -> acquireFallbackSlot, fallback; depart -> markSent
      giveUp -> endFailed, abortUpstream or stopAfter; CallPlan -> AttemptPlanner
      =Step (gateway) -> Attempt; elsewhere (gateway) -> nextFallback
      lookAgain -> refreshDeployments; noteVain -> noteNotRetried
      inPlaceOf -> replaceAttempt; nextLevel -> nextPriority
      affordable -> withinRetryBudget; hasPrice -> drawsRetryBudget
      passedOver, passOver -> skipped, skip, SKIPPABLE_ERRORS; isPlaceFault -> isRetryable
      isOwnFault -> isDeploymentError; =Try -> Attempt
      runningTry -> InFlightAttempt; tryEnding -> AttemptResult
      isSuspect -> failedLast; isHopeless -> isUnhealthy
      isBeyondIt -> isUnsupportedOperation; ownFallbacks -> RequestFallbacks, parseRequestFallbacks
      ownDeadline -> clientDeadline; ownRetries -> requestedRetries
      wishes -> CallOptions, parseCallOptions; spentTag -> ExhaustedTag, rejectIfTagBudgetExhausted
      budgetsKnown -> budgetsLoaded`,
  },
  {
    reason: "metering is accounting: reserve, hold, record",
    rows: `
      =metered -> runInference; MeteredCall -> CallAccounting
      meter (gateway) -> accounting (a Meter in limits/ is a counter); =book (gateway) -> reserve
      Booking -> Reservation; =Entry (gateway/metering) -> ReservationRequest
      former (gateway) -> PreviousReservation; Admission -> CreditHold
      setAside -> holdCredit; enlarge -> increaseHold
      =Charge (gateway) -> CallPricing; tariff -> ModelPricing, pricingOf
      noteRefusal, noted -> logRejectedCall, logged; noteUnsent -> logUnsentCall
      =Choice (gateway) -> ResolvedTarget; choiceOf (gateway) -> resolveTarget
      AskedCall -> TargetRequest; =choose (gateway) -> resolveForDryRun
      =Named (gateway) -> RequestLabel; endPlain -> completeJson
      endLong -> completeLarge; refusePlain -> rejectJson
      believed -> trustedUsage; =Used (gateway) -> MeasuredUsage
      =Source (gateway/metering) -> UsageSource; =Broken (gateway) -> InterruptedResponse
      brokeOff, brokenOff -> wasInterrupted; returnToBroken -> restoreInterrupted
      cutShort -> markTruncated; leftAtWork -> disconnectedMidAttempt
      callerLeft, leftWaiting -> clientDisconnected; heardBy -> transcriptionUnits
      spokenBy -> speechUnits; =drawn (gateway) -> imageUnits
      =hears -> takesAudio; =draws (gateway, contract) -> makesImages
      longestAsked -> requestedMaxTokens; answersAsked -> requestedChoices
      tokensAbout -> estimateTokens; soundLength -> AudioDuration
      shortened -> truncateJson; servedName -> loggedModel`,
  },
  {
    reason: "nothing is told: code reports, notifies, returns, logs or prints",
    rows: `
      toldCost -> reportedCost; toldWhere, tellWhere -> withTargetDetails, error-details.ts
      tellLimits -> limit-headers.ts; TellReply -> SyncReply
      tellingOfCredit -> withCreditEvents; tellOfExpiringKeys -> notifyExpiringKeys
      tellOverruled -> warnOverridden; tellOutage -> withOutageNotice
      tellSiblings -> withWorkerSync; toldWithin -> ackTimeout
      told -> reported, ResponseMetadata, reportedUsage; tell, tells, telling -> report, notify, return, log, print`,
  },
  {
    reason: "the field has a noun for this request, response or stream",
    rows: `
      goOn -> resumeStream, proceed; soFar -> PartialResponse, until now
      plainPassage -> VerbatimRelay; plain (gateway) -> json, nonStreaming
      passOn, passBack -> forwardRequest, forwardResponse; letPass -> admitPassThrough
      PassedCall -> PassThroughCall; passage (gateway/pass-through) -> PassThroughSession
      ears -> Listener; ownFiles -> resolveFileIds, file-references.ts
      ownCall -> internalCall; sentFields -> toFormFields, form-fields.ts
      callFacts, routeFacts -> RoutingContext; lackingSetup -> missingConfig
      refuseOtherKind -> requireOperation; refuseUnserved -> rejectUnsupportedOptions
      refuseEndlessSchema -> rejectRecursiveSchema; refuseNamedGuardrails -> rejectRequestGuardrails
      steering -> gatewayParams, validateGatewayParams; ofGoogle -> isGeminiRequest, gemini-marker.ts
      spelled -> normalizeNames, field-names.ts; ownForm, googleForm, messagesForm -> native format
      chunksOf, wholeChunks -> responseToChunks; wholeBody -> JsonInsteadOfStream, json-fallback.ts
      textShortcut -> ChunkFastPath; chatAfter -> withHistory, history.ts
      thoughts -> reasoning; heardCall, heardCalls -> ToolCallBuffer
      askModel -> callModel; =once (gateway) -> runIdempotent
      lane (gateway) -> RelayDirection; lane (outbox) -> DeliveryQueue
      answer, answers -> response, respond`,
  },
  {
    reason: "a cache looks up, stores and joins",
    rows: `
      throughCache -> serveFromCache, lookup.ts; askCache, AskedCache -> cacheRequest
      giveAgain -> respondFromCache; AnswerKeeper -> CacheWriter
      askByMeaning -> lookupSemantic; =together (gateway/cache) -> joinInFlight
      patienceMs -> maxWaitMs; flights (cache) -> Singleflight
      =Lead (cache) -> Leader; KeptAnswer -> CachedResponse, StoredResponse
      =Topic (gateway/cache, cache) -> SemanticKey; placeTable -> HashTable
      textRing -> RingBuffer; beginAnew, anew -> reset, again
      kept -> stored, cached, retained`,
  },
  {
    reason: "a guardrail checks a request or a response",
    rows: `
      guarding -> CallGuardrails, guardrails; looksAtAnswer, looksAtRequest -> checksResponse, checksRequest
      beside -> parallelChecks, nextTo; =watches -> monitorsOnly
      judge (guardrails, gateway) -> check; lineup -> GuardrailSchedule
      widening -> SpanExpander; unseen (guardrails) -> invisibleCharacters; pastUnseen, seenOnly -> invisibleCharacters
      halfPair, isInsidePair -> surrogatePair; FirstSignStage -> DetectJsonStage
      heldEchoes -> DeferredNativeFields; joinTorn, tornLines -> joinSubtitleLines
      triedOut, tryOut -> TestResult, testGuardrail`,
  },
  {
    reason: "limits are enforced, workers share a bus",
    rows: `
      letIn -> enforceLimits, admit; actForEndUser -> applyEndUser
      house -> LimitStore; =Ask (limits) -> LimitRequest
      TakeReply -> AcquireReply; deploymentFull -> deploymentAtCapacity
      tokensAsked -> requestedTokens; siblings -> WorkerBus, workers
      everywhere (workers, start) -> broadcast; mirror (workers, start, http) -> broadcastMethod
      =ALONE (workers, start) -> SINGLE_PROCESS; =SPREAD (workers) -> BROADCAST`,
  },
  {
    reason: "credit is held and released; a loop that works through a queue is a runner or a writer",
    rows: `
      pot, pots -> CreditSource; LeasingDesk, CreditDesk -> CreditReservations, LeasedCredit
      desk -> Runner, Writer, Store; HeldLeases -> LeaseTable
      LeaseWant -> LeaseRequest; LeaseStanding -> LeaseState
      letGo -> release; =notKnown -> creditUnknown
      heldElsewhere -> creditHeldElsewhere; KeptClaim -> IdempotencyClaim
      PatientAnswers -> RetryingStore; leftCall, leftBehind, settleLeft -> RecoveredCall, settleRecovered
      hurry -> flushSoon; standing -> status, state
      together (storage) -> StatementBatch
      askToMove, askForBudgets, askForAlerts -> queueBalanceMoves, queueBudgets, queueAlerts
      foldings, foldRollups -> rollupStatements; survivingDeadlocks -> retryDeadlocks
      markWanted -> recallLeases; drawDown -> consumeLeases
      keptQuery -> PreparedQuery; =sameAs (storage) -> equalsOrNull
      mend, mended -> repair, repaired; =forgotten (ledger) -> pastRetention`,
  },
  {
    reason: "the field has a noun for this record, payment or account",
    rows: `
      happening -> PaymentUpdate; scene (billing) -> PaymentContext
      easeDisputes, takeForDisputes -> releaseDisputed, debitDisputed; drawStatement -> buildStatement
      endpointRests -> EndpointBackoff; letter, letters (mail, start) -> email
      letterThrottle, prepareLetter, InvitationLetter -> email
      seenKey, SeenTopUp, SeenCredential, seeModels -> KeyView, TopUpView, CredentialView
      freshKey, freshVoucher, freshEndpoint -> CreatedKey, CreatedVoucher, CreatedEndpoint
      knownTeam -> TeamSnapshot; heirOf -> successorOf
      provePresence -> reauthenticate; waiveSpend -> resetSpend
      refusedSignIns -> FailedSignIns; SignInWay -> SignInMethod
      requireFitting -> requireCompatible; stock (models, start) -> StoredModels
      warnOfSlips -> warnTypos; fault, faults (config) -> problem, Problem
      unserved, served (config) -> unsupported, supported`,
  },
  {
    reason: "the field has a noun for this part of the server",
    rows: `
      face (http) -> ErrorFormat; carrier, keyCarriers (http) -> credentialHeader
      twoKeys -> conflictingKeys; adopt (http) -> normalize
      refuseContradictions -> rejectConflictingFields; ReadyAnswer -> PrecompressedResponse
      innerCalls -> inProcessClient; fromAnywhere -> skipsIpAllowlist
      =Turns (lib) -> SerialQueue; keyedTurns -> KeyedSerialQueue
      =Gate (lib) -> ConcurrencyLimit
      =headOf (lib) -> peek; insist -> retryUntil
      =SetClock -> ClockJumpDetector; =Carried -> LeasedTask
      =Halt -> StopReason; windDown -> drain
      takeUp -> claim; taker (assistants) -> LeaseHolder
      surroundings, =outside (start) -> Runtime, runtime; compose (start) -> createApp, create
      reachedAt -> publicUrl; renewFirst -> withFreshModels
      tidy, tidyUsage -> prune; participantDoor -> participantTransport
      takenPaths -> reservedPaths; storedFaults -> storedModelProblems
      sharedConfigOver, limitHouseOver -> remoteConfig, remoteLimitStore`,
  },
  {
    reason: "the field has a noun for this step of a training or of a run",
    rows: `
      givers (training) -> ShareHolders; isHonest -> isConsistent
      =Making (training) -> RoundInput; =Made (training) -> RoundResult
      RoundMaker -> RoundBuilder; =weigh (training) -> validateUpdates
      =Busy (training) -> PendingRequest; askAll -> requestAll
      inOneLine -> singleLine; foldLate -> acceptLateUpdates
      endUnbegun -> endUnstarted; promptRoom -> ContextBudget`,
  },
  {
    reason: "name the actor, and use the field's word for the thing",
    rows: `
      whoever, nobody, somebody, everybody -> the actor: client, gateway, worker, operator
      wanted, wants -> required, expected; picture, pictures -> image
      sound, sounds -> audio; putIn, giveBack -> add, return`,
  },
];

/** Names that others chose: wire names, and names of the language and of packages. */
export const FOREIGN_NAMES: ReadonlySet<string> = new Set([
  "includeThoughts",
  "thoughtsTokenCount",
  "resting",
  "unwell",
  "parked",
  "pick-up",
]);

export const PHRASES: readonly WordGroup[] = [
  {
    reason: "name the actor: client, gateway, provider, worker, operator",
    rows: `
      whoever, whomever -> anyone who, or the actor
      nobody, somebody, everybody, anybody, nobody's, somebody's, everybody's, anybody's -> the actor
      ^who, to/for/of/by/from/with/than/if/that/and/or/but/where/when/while who -> the actor
      those/one/ones/others/all/people who -> the actor`,
  },
  {
    reason: "name the thing",
    rows: `
      what it/they/he/she/one has/have/had -> the thing itself
      the one that/who/which/of/in/with/before/after/for -> the thing itself
      does/do/did/is/are/for/with the same$, ^the same -> the thing itself
      that/which is/are none -> "not a ..."`,
  },
  {
    reason: "a comment opens with a verb or a noun",
    rows: `
      ^^of, ^^by, ^^as, ^^beside, ^^what -> a verb (function) or a noun (type, constant)`,
  },
  {
    reason: "filler: leave it out",
    rows: `
      here -> nothing, or "on this server"
      as it is, as they are -> nothing, or "unchanged"
      of its/their/one's/your/our/his/her/my/one own -> its own, separate
      all the same -> nothing, or "nevertheless"
      meanwhile -> nothing, or "in the meantime"
      ^such as -> "For example, ..." in the sentence before
      unless told -> "(default 60)", by default`,
  },
  {
    reason: "nothing is told: code reports, notifies, returns, logs or prints",
    rows: `
      tell/tells/telling/told apart -> distinguish
      is/are/was/were/be/been/being told -> is notified, is reported
      tell, tells, telling, told -> report, notify, return, log, print`,
  },
  {
    reason: "a phrasal verb with a one-word twin",
    rows: `
      let/lets/letting go, let/lets/letting _ go -> release, delete, remove
      let/lets/letting in, let/lets/letting _ in -> admit, allow
      put/puts/putting in order, put/puts/putting _ in order -> sort
      put/puts/putting in$, put/puts/putting it/them in$, put in first/now/with/by/afterwards/for -> add
      take/takes/took/taken/taking up, take/takes/took/taken/taking it/them up -> claim, resume
      go/goes/went/gone/going on -> continue
      go/goes/went/gone/going along -> accompany, run with
      pass/passes/passed/passing over -> skip
      pass/passes/passed/passing on, pass/passes/passed/passing it/them on -> forward
      look/looks/looked/looking at -> check, inspect
      carry/carries/carried/carrying out -> run, execute
      write/writes/written/wrote/writing down -> record
      give/gives/gave/given/giving back -> return, refund
      give/gives/gave/given/giving again -> return, replay
      set/sets/setting aside -> hold, reserve
      break/breaks/broke/broken/breaking off -> interrupt, is interrupted
      shut/shuts/shutting out, shut/shuts/shutting _ out -> disable, lock
      is/are/was/were/be/been away -> is unavailable
      stand/stands/stood/standing in -> fall back to, fallback
      stand-in, stand-ins -> fallback
      as it/they stand/stands -> unchanged
      stand/stands/stood/standing -> is, applies, means`,
  },
  {
    reason: "the field's word",
    rows: `
      an/the/this/that/each/every/no/any/its/their/one/whole/first/last/cached/stored/kept/next answer -> response
      a/an/each/every/this/that _ answer -> response
      the/these/those/all/no/kept/cached/long/large/whole/several/many answers -> responses
      answers of/from/are/were/with/in/whose/without, ^answer$, ^answers$, ^answers are/of/that -> responses
      rests, resting, a/its/this/that/longer rest, to/may/must/can rest, let/lets it/one/deployment rest -> cooldown
      picture, pictures -> image, or diagram
      sounds/sound like -> seems
      sound, sounds -> audio
      letters (mail) -> email
      a/an/the/another/this/each/no/of letter (mail, web, accounts, start) -> email
      means of payment -> payment method
      books (gateway, ledger, billing, storage, start, usage, cli, accounts, limits, metering, crash, web) -> ledger
      in/of/by the books -> ledger
      installation, installations -> server, instance
      e-mail, e-mails -> email
      mark-up, mark-ups -> markup
      log/logs/logged/logging in, log-in, log-ins -> sign in
      log/logs/logged/logging out, log-out -> sign out
      the/its/their/a/no/this/your/whose present, at present -> current, now
      good for/until/here/any, is/are/was/stay/stays/not/longer good -> valid
      kept -> stored, cached, retained
      beside -> in addition to, next to
      wants, wanted -> requires, expected
      anew -> again, reset
      mend, mends, mended, mending -> fix, repair
      tidy, tidies, tidied, tidying -> clean up, prune
      seen as -> impersonating
      a/the/each/every/first/second/next/last/this/another try -> attempt
      thoughts (gateway, providers) -> reasoning
      at one time -> concurrent
      requests/tokens/calls/characters/words/times/messages/units/attempts/usd a second/minute/hour/day/month -> per minute
      ^create/delete/remove/change/show/update/rename/cancel/end/make one (cli) -> the verb with its object`,
  },
  {
    reason: "an internal name from the old vocabulary",
    rows: `
      errand, errands -> prepared request
      companion, companions -> call hook
      pot, pots -> credit source
      desk, desks -> runner, writer
      house, houses (limits, start) -> limit store
      sibling, siblings (workers, start, accounts, limits) -> worker
      happening, happenings -> payment update
      tariff, tariffs -> pricing
      plain answer/answers/chat/chats -> not streamed, JSON`,
  },
];

/** Rows of the vocabulary that no pattern finds without many false alarms; a reader has to look for them. */
export const UNCHECKED: readonly (readonly [old: string, why: string])[] = [
  ["choice (a target)", "a choice of a chat completion has the same name; only the type Choice is checked"],
  ["entry, step, try, used, source, charge as variables", "ordinary words; only the types of the gateway are checked"],
  ["said.ts, once, adopt, weigh outside their folder", "ordinary words"],
  ["new Gate, Turns", "checked in src/lib, where they are declared; a chat has turns as well"],
  ["fault, served outside src/config", "a fault of a provider is a fault, and a server serves"],
  ["letter outside mail, accounts, start and web", "letters are also characters"],
  ["calls (of a model)", "a call is one inference call; the count of requests cannot be told from it"],
  ["plain (not streamed) in prose", "also plain text; only plain answers and plain chats are checked"],
  ["answer as a verb, and without an article", "a server answers; articles mark most nouns"],
  ["books in docs/", "the books are a subject of accounting there"],
  ["rest (the remainder)", "an ordinary word; only verbs and articles mark the cooldown"],
  ["begin, begins", "ordinary words; anew is checked"],
  ["present (not absent)", "only the present one, present value or at present means current"],
  ["a minute, a second (a duration)", "rates are checked by the unit in front"],
  ["resting, unwell, well, spent, parked", "wire values; the pages translate them"],
  ["keys pick-up, /key/pick_up, auto-topup card", "commands and paths keep their old name as an alias"],
  ["turnpike_leased_pots and other metrics", "metrics keep their old name as an alias"],
  ["leases.pot, usage_quarters", "database columns do not change"],
  ["old names in comments and pages", "a renaming by the language service leaves them; search for the name then"],
  [
    "rules 4 to 7, 9, 11, 17 and 19 of the language",
    "concepts, voice and labels need a reader; their fixed phrases are checked",
  ],
  ["rule 20, commit subjects", "a commit cannot be changed later, so a test of history could never pass again"],
];
