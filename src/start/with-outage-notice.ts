import { isDatabaseAway } from "../contract/database-away.ts";

interface LeaseHolder {
  databaseWasAway(): void;
}

/**
 * Does what a start needs of the database. While that is away nobody renews a lease, and those who take up what others have left do
 * not look yet: they are told, so that they do not take what a process that lives could not renew.
 */
export async function withOutageNotice<T>(holders: readonly LeaseHolder[], prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (thrown) {
    if (isDatabaseAway(thrown)) for (const holder of holders) holder.databaseWasAway();
    throw thrown;
  }
}
