import { AddressRefused, type Letter, type Mailer } from "../mail/mailer.ts";
import { Undeliverable } from "../outbox/outbox.ts";

/** An address that there is not is given up at once; anything else may go better later. */
export async function sendLetter(mailer: Mailer, letter: Letter): Promise<void> {
  try {
    await mailer.send(letter);
  } catch (thrown) {
    throw thrown instanceof AddressRefused ? new Undeliverable(thrown.message, { cause: thrown }) : thrown;
  }
}
