import type { ReactNode } from "react";
import classes from "./facts.module.css";

interface FactsProps {
  /** Names with what they are; what is undefined is left out. */
  readonly items: readonly (readonly [name: string, value: ReactNode | undefined])[];
}

/** Names and values below each other: a record in words. */
export const Facts = ({ items }: FactsProps) => (
  <dl className={classes.facts}>
    {items
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => (
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd className="wraps">{value}</dd>
        </div>
      ))}
  </dl>
);
