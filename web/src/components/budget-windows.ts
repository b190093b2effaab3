/** What a budget is for, as the fields for it offer it. */
export const WINDOWS = [
  { value: "hour", label: "an hour" },
  { value: "day", label: "a day" },
  { value: "week", label: "a week" },
  { value: "month", label: "a month" },
  { value: "total", label: "in all" },
];
