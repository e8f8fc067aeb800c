# One static binary, run as a user without rights. Time zones are in the binary; certificates are
# copied for TLS to PostgreSQL, Redis, the trace collector and webhooks.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -ldflags="-s -w" -o /recoup .

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /recoup /recoup
USER 65532:65532
ENV RECOUP_LISTEN=:8080
EXPOSE 8080
ENTRYPOINT ["/recoup"]
CMD ["serve"]
