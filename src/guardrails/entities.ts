import type { Detector } from "./detector.ts";
import { apiKey, jwt } from "./detectors/api-key.ts";
import { assignedSecret, loginPassword } from "./detectors/assigned-secret.ts";
import { creditCard } from "./detectors/credit-card.ts";
import { email } from "./detectors/email.ts";
import { highEntropy } from "./detectors/high-entropy.ts";
import { iban } from "./detectors/iban.ts";
import { ipv4, ipv6 } from "./detectors/ip-address.ts";
import { phone } from "./detectors/phone.ts";
import { privateKey } from "./detectors/private-key.ts";
import { usSsn } from "./detectors/us-ssn.ts";

/** What can be found offline, by the names that operators list. Where two overlap, the one that begins first wins. */
export const PERSONAL: Readonly<Record<string, readonly Detector[]>> = {
  email: [email],
  credit_card: [creditCard],
  iban: [iban],
  us_ssn: [usSsn],
  ip_address: [ipv4, ipv6],
  phone: [phone],
};

export const SECRETS: Readonly<Record<string, readonly Detector[]>> = {
  private_key: [privateKey],
  api_key: [apiKey],
  jwt: [jwt],
  password: [assignedSecret, loginPassword],
  high_entropy: [highEntropy],
};
