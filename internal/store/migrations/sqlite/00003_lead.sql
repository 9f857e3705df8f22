-- A person may choose which article of a story leads it.
-- +goose Up

alter table story_members add column lead_at integer; -- when a person chose it to lead, the latest of a story holds; null: nobody did
