import { PARALLEL_RETRY_MS } from "./meter.ts";
import { SLOT_MS, SLOTS } from "./sliding-window.ts";

/** A process that did not say for this long that it lives is not counted, and neither are its calls. */
export const ALIVE_MS = 15_000;
/** Longer than anything counts: what nobody asks for any more leaves by itself. */
const KEEP_MS = SLOTS * SLOT_MS + ALIVE_MS;

export interface Script {
  readonly text: string;
  readonly sha: string;
}

/** Names on a Redis that others may use as well. Keys of one script have to lie on one node of a cluster: what stands in braces sees to that. */
export const namesOf = (installation: string) => ({
  processes: `{turnpike:${installation}}:processes`,
  epoch: `{turnpike:${installation}}:epoch`,
  ofMeter: (meterId: string): string => `{turnpike:${installation}}:limit:${meterId}`,
});

/**
 * The time is Redis's own unless a test hands in another. What lies so far ahead that nothing could have is of before it was set
 * back, and does not count.
 * The epoch tells whether what was told before is still there.
 */
const PREAMBLE = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local slot = math.floor(now / ${SLOT_MS})
local processes, epochKey = KEYS[1], KEYS[2]
local epoch = redis.call('GET', epochKey)
if not epoch then
  epoch = now .. ':' .. ARGV[2]
  redis.call('SET', epochKey, epoch)
end
`;

/**
 * ARGV: time or '', process, then for each limit what is counted, the limit, the amount, and how many calls of this process
 * run under it. Answers: epoch, time, 1 or 0 for all of them, then for each: used, wait, reset, all in milliseconds.
 */
export const TAKE = script(`${PREAMBLE}
local answer, admitted, alive = {}, 1, nil
for i = 3, #KEYS do
  local key, at = KEYS[i], 3 + (i - 3) * 4
  local counted, limit, amount = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local used, wait, reset = 0, 0, 0
  local all = redis.call('HGETALL', key)
  if counted == 'parallel' then
    if not alive then
      alive = {}
      for _, name in ipairs(redis.call('ZRANGEBYSCORE', processes, now - ${ALIVE_MS}, now + ${ALIVE_MS})) do alive[name] = true end
    end
    used = tonumber(ARGV[at + 3])
    for j = 1, #all, 2 do
      if all[j] ~= ARGV[2] then
        if alive[all[j]] then used = used + tonumber(all[j + 1]) else redis.call('HDEL', key, all[j]) end
      end
    end
    if used + amount > limit then wait = ${PARALLEL_RETRY_MS} end
  else
    local slots, newest = {}, nil
    for j = 1, #all, 2 do
      local began, taken = tonumber(all[j]), tonumber(all[j + 1])
      if math.abs(slot - began) >= ${SLOTS} then
        redis.call('HDEL', key, all[j])
      else
        used = used + taken
        slots[#slots + 1] = { began, taken }
        if not newest or began > newest then newest = began end
      end
    end
    if newest then reset = (newest + ${SLOTS}) * ${SLOT_MS} - now end
    local left = used + amount - limit
    if left > 0 then
      wait = ${SLOTS * SLOT_MS}
      table.sort(slots, function(a, b) return a[1] < b[1] end)
      for _, one in ipairs(slots) do
        left = left - one[2]
        if left <= 0 then
          wait = (one[1] + ${SLOTS}) * ${SLOT_MS} - now
          break
        end
      end
    end
  end
  if wait > 0 then admitted = 0 end
  answer[#answer + 1] = used
  answer[#answer + 1] = wait
  answer[#answer + 1] = reset
end
if admitted == 1 then
  for i = 3, #KEYS do
    local at = 3 + (i - 3) * 4
    if ARGV[at] == 'parallel' then
      redis.call('HSET', KEYS[i], ARGV[2], tonumber(ARGV[at + 3]) + ARGV[at + 2])
    else
      redis.call('HINCRBY', KEYS[i], slot, ARGV[at + 2])
    end
    redis.call('PEXPIRE', KEYS[i], ${KEEP_MS})
  end
end
return { epoch, now, admitted, unpack(answer) }
`);

/**
 * What a process took without asking, and how many calls it runs. ARGV: time or '', process, then for each key 'parallel' and
 * a number, or a time and what was taken then; what is below zero is given back, of what was taken then or later. Says as
 * well that the process lives.
 * Answers: epoch, time, living processes.
 */
export const TELL = script(`${PREAMBLE}
redis.call('ZADD', processes, now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', processes, '-inf', now - ${ALIVE_MS})
redis.call('ZREMRANGEBYSCORE', processes, now + ${ALIVE_MS}, '+inf')
for i = 3, #KEYS do
  local at = 3 + (i - 3) * 2
  local key, amount = KEYS[i], tonumber(ARGV[at + 1])
  if ARGV[at] == 'parallel' then
    if amount > 0 then redis.call('HSET', key, ARGV[2], amount) else redis.call('HDEL', key, ARGV[2]) end
  else
    local began = math.min(slot, math.floor(tonumber(ARGV[at]) / ${SLOT_MS}))
    if amount > 0 then
      redis.call('HINCRBY', key, began, amount)
    elseif slot - began < ${SLOTS} then
      for one = began, slot do
        local given = math.min(tonumber(redis.call('HGET', key, one) or '0'), -amount)
        if given > 0 then
          redis.call('HINCRBY', key, one, -given)
          amount = amount + given
        end
        if amount == 0 then break end
      end
    end
  end
  redis.call('PEXPIRE', key, ${KEEP_MS})
end
return { epoch, now, redis.call('ZCARD', processes) }
`);

/** Redis knows a script that it has run by its hash. */
function script(text: string): Script {
  return { text, sha: new Bun.CryptoHasher("sha1").update(text).digest("hex") };
}
